"""A rosbridge server for tests (rosbridge protocol 2.0, JSON over WebSocket), between rospy and tornado.

It behaves as rosbridge_suite does on ROS 1, where a client can tell:
- The messages of a connection are taken one after another by a thread of its own. WebSocket pings do not wait for it.
- A service is called in a thread of its own; with --slow-calls in that of the connection, as servers of ROS 2 do.
- What is wrong is logged and dropped; with --status the client is told as well.
- Publishers are shared by all connections and outlive the last one for some time. What is published within a second
  of a publisher's start reaches subscribers that connect later, too.
- When a connection closes, what it sent and was not looked at yet is dropped.
Prints `ready` when it listens.
"""
import argparse
import asyncio
import collections
import io
import json
import socket
import threading
import time

import rosgraph
import rospy
import tornado.web
import tornado.websocket
from ros_json import from_json, message_class, to_json
from roslib.message import get_service_class

LATE_SUBSCRIBER_S = 1.0
PUBLISHER_LINGER_S = 10.0
PRINTING = threading.Lock()


class SharedPublisher(rospy.SubscribeListener):
    """One publisher of a topic for every connection."""

    def __init__(self, topic, kind, latch):
        self.kind = kind
        self.users = set()
        self.lock = threading.Lock()
        self.early = []
        self.made_at = time.monotonic()
        self.publisher = rospy.Publisher(topic, kind, subscriber_listener=self, latch=latch, queue_size=100)

    @property
    def young(self):
        return time.monotonic() - self.made_at < LATE_SUBSCRIBER_S

    def peer_subscribe(self, topic_name, topic_publish, peer_publish):
        if self.young:
            with self.lock:
                early = list(self.early)
            for message in early:
                peer_publish(message)

    def publish(self, message):
        if self.young:
            with self.lock:
                self.early.append(message)
        self.publisher.publish(message)


class Publishers:
    def __init__(self):
        self.lock = threading.RLock()
        self.by_topic = {}

    def use(self, client, topic, type_name=None, latch=False):
        with self.lock:
            shared = self.by_topic.get(topic)
            if shared is None:
                shared = self.by_topic[topic] = SharedPublisher(topic, class_for(topic, type_name), latch)
            elif type_name is not None and message_class(type_name) is not shared.kind:
                raise TypeError(conflict(topic, shared.kind._type, type_name))
            shared.users.add(client)
            return shared

    def leave(self, client, topic):
        with self.lock:
            shared = self.by_topic.get(topic)
            if shared is None:
                return
            shared.users.discard(client)
            timer = threading.Timer(PUBLISHER_LINGER_S, self.end, [topic, shared])
            timer.daemon = True
            timer.start()

    def end(self, topic, shared):
        with self.lock:
            if not shared.users and self.by_topic.get(topic) is shared:
                shared.publisher.unregister()
                del self.by_topic[topic]


class Subscription:
    """One topic for one connection: at most so often, and at most so many kept meanwhile; older ones are dropped."""

    def __init__(self, topic, type_name, send):
        self.topic = topic
        self.kind = class_for(topic, type_name)
        self.send = send
        self.wishes = {}
        self.condition = threading.Condition()
        self.waiting = collections.deque()
        self.sent_at = 0.0
        self.over = False
        self.sender = None
        self.subscriber = None

    def wish(self, subscription_id, throttle_ms, queue_length):
        with self.condition:
            self.wishes[subscription_id] = (throttle_ms / 1000, queue_length)
            self.choose()
        if self.subscriber is None:
            self.subscriber = rospy.Subscriber(self.topic, self.kind, self.take)

    def choose(self):
        self.throttle = min(throttle for throttle, _ in self.wishes.values())
        self.queue_length = min(length for _, length in self.wishes.values())
        if self.queue_length > 0:
            self.waiting = collections.deque(self.waiting, maxlen=self.queue_length)
            if self.sender is None:
                self.sender = threading.Thread(target=self.drain, daemon=True)
                self.sender.start()

    def withdraw(self, subscription_id):
        """Gives whether nobody is left who wishes for it."""
        with self.condition:
            if subscription_id is None:
                self.wishes.clear()
            self.wishes.pop(subscription_id, None)
            if self.wishes:
                self.choose()
            return not self.wishes

    def take(self, message):
        with self.condition:
            if self.over:
                return
            if self.queue_length > 0:
                self.waiting.append(message)
                self.condition.notify()
                return
            if self.pause() > 0:
                return
            self.sent_at = time.monotonic()
        self.pass_on(message)

    def pause(self):
        return self.sent_at + self.throttle - time.monotonic()

    def drain(self):
        while True:
            with self.condition:
                while not self.over and not self.waiting:
                    self.condition.wait()
                while not self.over and self.pause() > 0:
                    self.condition.wait(self.pause())
                if self.over:
                    return
                message = self.waiting.popleft()
                self.sent_at = time.monotonic()
            self.pass_on(message)

    def pass_on(self, message):
        self.send({"op": "publish", "topic": self.topic, "msg": to_json(message)})

    def end(self):
        with self.condition:
            self.over = True
            self.condition.notify()
        if self.subscriber is not None:
            self.subscriber.unregister()


class Client:
    """What one connection asks for, done by its own thread in the order in which it came in."""

    def __init__(self, number, send, publishers, options):
        self.number = number
        self.send = send
        self.publishers = publishers
        self.options = options
        self.advertised = collections.defaultdict(set)
        self.published = set()
        self.subscriptions = {}
        self.queue = collections.deque()
        self.condition = threading.Condition()
        self.over = False
        threading.Thread(target=self.work, daemon=True).start()

    def push(self, text):
        with self.condition:
            self.queue.append(text)
            self.condition.notify()

    def end(self):
        with self.condition:
            self.over = True
            self.queue.clear()
            self.condition.notify()

    def work(self):
        while True:
            with self.condition:
                while not self.over and not self.queue:
                    self.condition.wait()
                if self.over:
                    break
                text = self.queue.popleft()
            self.handle(text)
        for subscription in self.subscriptions.values():
            subscription.end()
        for topic in {*self.advertised, *self.published}:
            self.publishers.leave(self, topic)

    def handle(self, text):
        message = {}
        try:
            message = json.loads(text)
            operation = getattr(self, "do_" + str(message["op"]), None)
            if operation is None:
                raise ValueError("Unknown operation: %s" % message["op"])
            operation(message)
        except Exception as error:  # whatever a client sends, the next message is looked at
            self.fail(message, error)

    def fail(self, message, error):
        about = message if isinstance(message, dict) else {}
        words = "%s: %s" % (about.get("op", "message"), str(error) or type(error).__name__)
        say("client %d, id %s: %s" % (self.number, about.get("id"), words))
        if self.options.status:
            status = {"op": "status", "level": "error", "msg": words}
            self.send({**status, "id": about["id"]} if "id" in about else status)

    def do_advertise(self, message):
        topic = text_of(message, "topic")
        self.publishers.use(self, topic, text_of(message, "type"), message.get("latch", False))
        self.advertised[topic].add(message.get("id"))

    def do_unadvertise(self, message):
        topic = text_of(message, "topic")
        if topic not in self.advertised:
            return
        if message.get("id") is None:
            self.advertised[topic].clear()
        self.advertised[topic].discard(message.get("id"))
        if not self.advertised[topic]:
            del self.advertised[topic]
            self.publishers.leave(self, topic)

    def do_publish(self, message):
        topic = text_of(message, "topic")
        shared = self.publishers.use(self, topic, latch=message.get("latch", False))
        self.published.add(topic)
        shared.publish(from_json(message.get("msg", {}), shared.kind()))

    def do_subscribe(self, message):
        topic = text_of(message, "topic")
        subscription = self.subscriptions.get(topic)
        if subscription is None:
            subscription = Subscription(topic, message.get("type"), self.send)
            self.subscriptions[topic] = subscription
        elif message.get("type") is not None and message_class(message["type"]) is not subscription.kind:
            raise TypeError(conflict(topic, subscription.kind._type, message["type"]))
        subscription.wish(message.get("id"), message.get("throttle_rate", 0), message.get("queue_length", 0))

    def do_unsubscribe(self, message):
        topic = text_of(message, "topic")
        subscription = self.subscriptions.get(topic)
        if subscription is not None and subscription.withdraw(message.get("id")):
            subscription.end()
            del self.subscriptions[topic]

    def do_call_service(self, message):
        text_of(message, "service")
        if self.options.slow_calls:
            self.call(message)
        else:
            threading.Thread(target=self.call, args=[message], daemon=True).start()

    def call(self, message):
        answer = {"op": "service_response", "service": message["service"]}
        if "id" in message:
            answer["id"] = message["id"]
        try:
            values = to_json(call_service(message["service"], message.get("args", {})))
        except Exception as error:  # what a service or its node does wrong
            self.fail(message, error)
            self.send({**answer, "values": str(error), "result": False})
        else:
            self.send({**answer, "values": values, "result": True})


def call_service(name, args):
    kind = service_class(rospy.resolve_name(name))
    request = kind._request_class()
    if isinstance(args, list):
        args = dict(zip(request.__slots__, args))
    return rospy.ServiceProxy(name, kind).call(from_json(args, request))


def service_class(name):
    """Only the node that offers a service knows its type. @raise LookupError when there is none"""
    try:
        uri = rosgraph.Master("/bridge").lookupService(name)
    except rosgraph.MasterError as error:
        raise LookupError("Service %s does not exist" % name) from error
    with socket.create_connection(rospy.core.parse_rosrpc_uri(uri), timeout=5) as node:
        probe = {"probe": "1", "md5sum": "*", "callerid": "/bridge", "service": name}
        rosgraph.network.write_ros_handshake_header(node, probe)
        return get_service_class(rosgraph.network.read_ros_handshake_header(node, io.BytesIO(), 2048)["type"])


def class_for(topic, type_name):
    """The type a topic has by now, which has to be the one that is wished for."""
    established = dict(rosgraph.Master("/bridge").getTopicTypes()).get(rospy.resolve_name(topic))
    if established in (None, "*"):
        if type_name is None:
            raise LookupError("Cannot infer topic type for topic %s as it is not yet advertised" % topic)
        return message_class(type_name)
    if type_name is not None and message_class(type_name)._type != established:
        raise TypeError(conflict(topic, established, type_name))
    return message_class(established)


def conflict(topic, established, wished):
    words = "Tried to register topic %s with type %s but it is already established with type %s"
    return words % (topic, wished, established)


def text_of(message, key):
    value = message.get(key)
    if not isinstance(value, str):
        raise ValueError("Expected a %s field that is a string" % key)
    return value


def say(line):
    with PRINTING:
        print(line, flush=True)


class Connection(tornado.websocket.WebSocketHandler):
    count = 0

    def initialize(self, publishers, options):
        self.publishers = publishers
        self.options = options
        self.client = None

    def check_origin(self, origin):
        return True

    def open(self, *_args):
        self.set_nodelay(True)
        loop = asyncio.get_running_loop()
        Connection.count += 1
        say("client %d connected" % Connection.count)
        self.client = Client(
            Connection.count,
            lambda message: loop.call_soon_threadsafe(self.send_text, json.dumps(message)),
            self.publishers,
            self.options,
        )

    def send_text(self, text):
        if self.ws_connection is None or self.ws_connection.is_closing():
            return
        # Its end is told by on_close.
        self.write_message(text).add_done_callback(lambda sent: sent.exception())

    def on_message(self, message):
        self.client.push(message)

    def on_close(self):
        if self.client is not None:
            say("client %d disconnected" % self.client.number)
            self.client.end()


async def serve(options):
    rospy.init_node("bridge", disable_signals=True)
    settings = {"publishers": Publishers(), "options": options}
    tornado.web.Application([("/.*", Connection, settings)]).listen(options.port, "127.0.0.1")
    say("ready")
    await asyncio.Event().wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--status", action="store_true", help="tell the client what failed")
    parser.add_argument("--slow-calls", action="store_true", help="look at nothing else while a service is called")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
