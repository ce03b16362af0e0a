package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"app/robot"
)

// must ends what cannot go on without an answer.
func must[T any](value T, _ *http.Response, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// decode reads the row of a table whose model the caller knows.
func decode[T any](row map[string]any) (decoded T) {
	text, err := json.Marshal(row)
	if err == nil {
		err = json.Unmarshal(text, &decoded)
	}
	if err != nil {
		log.Fatal(err)
	}
	return decoded
}

func word(value robot.NullableString) string {
	if value.Get() == nil {
		return "nothing"
	}
	return *value.Get()
}

func main() {
	settings := robot.NewConfiguration()
	settings.Servers = robot.ServerConfigurations{{URL: os.Getenv("ROBOT_URL")}}
	client := robot.NewAPIClient(settings)
	byKey := map[string]robot.APIKey{"apiKeyAuth": {Key: os.Getenv("ROBOT_KEY")}}
	ctx := context.WithValue(context.Background(), robot.ContextAPIKeys, byKey)
	auth := must(client.AuthenticationAPI.Authenticate(ctx).Execute())
	ctx = context.WithValue(context.Background(), robot.ContextAccessToken, auth.Token)
	fmt.Println("level", auth.AccessLevel)

	fmt.Println("stopped", must(client.CommandsAPI.StopRobot(ctx).Execute()).Stopped)

	item := map[string]any{"id": "r1", "virtual_id": "7", "label": "hello", "class_": "big"}
	add := client.DatabaseAPI.AddRow(ctx).DatabaseItem(*robot.NewDatabaseItem(robot.TABLENAME_KNOWN_RUNES_TABLE, item))
	rune := decode[robot.KnownRunesTableRow](must(add.Execute()))
	fmt.Println("added", rune.Id, word(rune.VirtualId), word(rune.Label), word(rune.Description), word(rune.Class))

	read := client.DatabaseAPI.ReadTable(ctx).Tablename(robot.TABLENAME_SUBCATEGORIES_TABLE)
	for _, row := range must(read.Execute()) {
		sub := decode[robot.SubcategoriesTableRow](row)
		fmt.Println("subcategory", sub.GetId(), word(sub.Name), word(sub.Logo), sub.GetCategoryId(), sub.GetLocal())
	}

	named := *robot.NewDatabaseItem(robot.TABLENAME_KNOWN_RUNES_TABLE, map[string]any{"id": "r1"})
	fmt.Println("deleted", must(client.DatabaseAPI.DeleteRow(ctx).DatabaseItem(named).Execute())["id"])

	for _, spec := range must(client.CommandsAPI.ListCommands(ctx).Execute()).Commands {
		if spec.Name == "sound_level" {
			fmt.Println("sound_level", spec.Kind, spec.Bounds.GetMinimum(), spec.Bounds.GetMaximum())
		}
	}

	_, answer, err := client.CommandsAPI.SendInt(ctx).IntCommand(*robot.NewIntCommand("sound_level", 1000)).Execute()
	if refused, ok := err.(*robot.GenericOpenAPIError); ok {
		problem, _ := refused.Model().(robot.Problem)
		fmt.Println("refused", answer.StatusCode, problem.Code)
	}
}
