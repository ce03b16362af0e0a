// The action server of move_base.py in C++: actionlib's own SimpleActionServer again, of which the one in Python is a
// port with a timing of its own. Drives straight ahead to the x of a goal. Prints `ready` once the base listens to it.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <string>

#include <actionlib/server/simple_action_server.h>
#include <geometry_msgs/Twist.h>
#include <move_base_msgs/MoveBaseAction.h>
#include <nav_msgs/Odometry.h>
#include <ros/ros.h>

namespace {

constexpr double kSpeed = 0.5;
constexpr double kNear = 0.08;

class MoveBase {
 public:
  explicit MoveBase(const std::string& name)
      : cmd_vel_(node_.advertise<geometry_msgs::Twist>("/cmd_vel", 5)),
        odom_(node_.subscribe("/odom", 5, &MoveBase::Locate, this)),
        server_(node_, name, [this](const move_base_msgs::MoveBaseGoalConstPtr& goal) { Execute(*goal); }, false) {
    server_.start();
  }

  bool Ready() const { return located_ && cmd_vel_.getNumSubscribers() > 0; }

 private:
  void Locate(const nav_msgs::Odometry::ConstPtr& odometry) {
    x_ = odometry->pose.pose.position.x;
    located_ = true;
  }

  void Execute(const move_base_msgs::MoveBaseGoal& goal) {
    ros::Rate rate(20);
    while (ros::ok()) {
      if (server_.isPreemptRequested()) {
        cmd_vel_.publish(geometry_msgs::Twist());
        server_.setPreempted();
        return;
      }
      const double ahead = goal.target_pose.pose.position.x - x_;
      if (std::abs(ahead) < kNear) {
        cmd_vel_.publish(geometry_msgs::Twist());
        server_.setSucceeded(move_base_msgs::MoveBaseResult(), "Goal reached.");
        return;
      }
      geometry_msgs::Twist twist;
      twist.linear.x = std::copysign(kSpeed, ahead);
      cmd_vel_.publish(twist);
      rate.sleep();
    }
  }

  ros::NodeHandle node_;
  ros::Publisher cmd_vel_;
  ros::Subscriber odom_;
  std::atomic<double> x_{0.0};
  std::atomic<bool> located_{false};
  actionlib::SimpleActionServer<move_base_msgs::MoveBaseAction> server_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "move_base";
  ros::init(argc, argv, name);
  MoveBase server(name);
  ros::Rate rate(100);
  for (bool told = false; ros::ok(); rate.sleep()) {
    ros::spinOnce();
    if (!told && server.Ready()) {
      told = true;
      std::puts("ready");
      std::fflush(stdout);
    }
  }
}
