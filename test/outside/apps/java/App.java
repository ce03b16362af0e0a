import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.Objects;
import robot.ApiClient;
import robot.ApiException;
import robot.api.AuthenticationApi;
import robot.api.CommandsApi;
import robot.api.DatabaseApi;
import robot.model.DatabaseItem;
import robot.model.IntCommand;
import robot.model.KnownRunesTableRow;
import robot.model.Problem;
import robot.model.SubcategoriesTableRow;
import robot.model.TableName;

public class App {
  static String word(Object value) {
    return Objects.requireNonNullElse(value, "nothing").toString();
  }

  static ApiClient client(String header, String value) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("ROBOT_URL"));
    return client.setRequestInterceptor(request -> request.header(header, value));
  }

  public static void main(String[] arguments) throws Exception {
    var auth = new AuthenticationApi(client("X-API-Key", System.getenv("ROBOT_KEY"))).authenticate(null, null);
    ApiClient robot = client("Authorization", "Bearer " + auth.getToken());
    CommandsApi commands = new CommandsApi(robot);
    DatabaseApi database = new DatabaseApi(robot);
    ObjectMapper json = robot.getObjectMapper();
    System.out.println("level " + auth.getAccessLevel());

    System.out.println("stopped " + commands.stopRobot().getStopped());

    Map<String, Object> item = Map.of("id", "r1", "virtual_id", "7", "label", "hello", "class_", "big");
    Object row = database.addRow(new DatabaseItem().tablename(TableName.KNOWN_RUNES_TABLE).item(item));
    KnownRunesTableRow rune = json.convertValue(row, KnownRunesTableRow.class);
    System.out.printf("added %s %s %s %s %s%n", rune.getId(), word(rune.getVirtualId()), word(rune.getLabel()),
        word(rune.getDescription()), word(rune.getRuneClass()));

    for (Object each : database.readTable(TableName.SUBCATEGORIES_TABLE, null, null)) {
      SubcategoriesTableRow sub = json.convertValue(each, SubcategoriesTableRow.class);
      System.out.printf("subcategory %d %s %s %d %b%n", sub.getId(), word(sub.getName()), word(sub.getLogo()),
          sub.getCategoryId(), sub.getLocal());
    }

    var named = new DatabaseItem().tablename(TableName.KNOWN_RUNES_TABLE).item(Map.of("id", "r1"));
    System.out.println("deleted " + json.convertValue(database.deleteRow(named), KnownRunesTableRow.class).getId());

    for (var spec : commands.listCommands().getCommands())
      if (spec.getName().equals("sound_level") && spec.getBounds() != null)
        System.out.printf("sound_level %s %.0f %.0f%n", spec.getKind(), spec.getBounds().getMinimum(),
            spec.getBounds().getMaximum());

    try {
      commands.sendInt(new IntCommand().command("sound_level").value(1000L));
    } catch (ApiException refused) {
      Problem problem = json.readValue(refused.getResponseBody(), Problem.class);
      System.out.println("refused " + refused.getCode() + " " + problem.getCode());
    }
  }
}
