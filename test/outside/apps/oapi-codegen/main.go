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
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func word(value *string) string {
	if value == nil {
		return "nothing"
	}
	return *value
}

func header(name, value string) robot.ClientOption {
	return robot.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set(name, value)
		return nil
	})
}

func main() {
	ctx, url := context.Background(), os.Getenv("ROBOT_URL")
	byKey := must(robot.NewClientWithResponses(url, header("X-API-Key", os.Getenv("ROBOT_KEY"))))
	auth := must(byKey.AuthenticateWithResponse(ctx, nil)).JSON200
	client := must(robot.NewClientWithResponses(url, header("Authorization", "Bearer "+auth.Token)))
	fmt.Println("level", auth.AccessLevel)

	fmt.Println("stopped", must(client.StopRobotWithResponse(ctx)).JSON200.Stopped)

	item := robot.DatabaseItem{Tablename: robot.KnownRunesTable, Item: map[string]any{
		"id": "r1", "virtual_id": "7", "label": "hello", "class_": "big"}}
	var rune robot.KnownRunesTableRow
	must(0, json.Unmarshal(must(client.AddRowWithResponse(ctx, item)).Body, &rune))
	fmt.Println("added", rune.Id, word(rune.VirtualId), word(rune.Label), word(rune.Description), word(rune.Class))

	var rows []robot.SubcategoriesTableRow
	params := robot.ReadTableParams{Tablename: robot.SubcategoriesTable}
	must(0, json.Unmarshal(must(client.ReadTableWithResponse(ctx, &params)).Body, &rows))
	for _, row := range rows {
		fmt.Println("subcategory", *row.Id, word(row.Name), word(row.Logo), *row.CategoryId, *row.Local)
	}

	named := robot.DatabaseItem{Tablename: robot.KnownRunesTable, Item: map[string]any{"id": "r1"}}
	fmt.Println("deleted", (*must(client.DeleteRowWithResponse(ctx, named)).JSON200)["id"])

	for _, spec := range must(client.ListCommandsWithResponse(ctx)).JSON200.Commands {
		if spec.Name == "sound_level" {
			fmt.Println("sound_level", spec.Kind, *spec.Bounds.Minimum, *spec.Bounds.Maximum)
		}
	}

	refused := must(client.SendIntWithResponse(ctx, robot.IntCommand{Command: "sound_level", Value: 1000}))
	fmt.Println("refused", refused.StatusCode(), refused.ApplicationproblemJSON422.Code)
}
