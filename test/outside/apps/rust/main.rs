use robot_client::apis::configuration::{ApiKey, Configuration};
use robot_client::apis::{authentication_api, commands_api, database_api, Error};
use robot_client::models::{
    DatabaseItem, IntCommand, KnownRunesTableRow, Problem, SubcategoriesTableRow, TableName,
};
use serde::de::DeserializeOwned;
use serde_json::{from_value, Error as JsonError, Value};
use std::collections::HashMap;
use std::env::var;

type Row = HashMap<String, Value>;

fn row<const N: usize>(columns: [(&str, &str); N]) -> Row {
    columns.map(|(name, value)| (name.into(), value.into())).into()
}

fn decode<T: DeserializeOwned>(row: Row) -> Result<T, JsonError> {
    from_value(Value::Object(row.into_iter().collect()))
}

fn word(value: Option<Option<String>>) -> String {
    value.flatten().unwrap_or("nothing".into())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut robot = Configuration { base_path: var("ROBOT_URL")?, ..Configuration::new() };
    robot.api_key = Some(ApiKey { prefix: None, key: var("ROBOT_KEY")? });
    let auth = authentication_api::authenticate(&robot, None, None)?;
    robot.bearer_access_token = Some(auth.token);
    println!("level {}", auth.access_level);

    println!("stopped {}", commands_api::stop_robot(&robot)?.stopped);

    let item = row([("id", "r1"), ("virtual_id", "7"), ("label", "hello"), ("class_", "big")]);
    let added = database_api::add_row(&robot, DatabaseItem::new(TableName::KnownRunesTable, item))?;
    let rune: KnownRunesTableRow = decode(added)?;
    let (number, label) = (word(rune.virtual_id), word(rune.label));
    println!("added {} {number} {label} {} {}", rune.id, word(rune.description), word(rune.class_));

    for each in database_api::read_table(&robot, TableName::SubcategoriesTable, None, None)? {
        let sub: SubcategoriesTableRow = decode(each)?;
        let (id, category) = (sub.id.unwrap_or(0), sub.category_id.flatten().unwrap_or(0));
        let local = sub.local.unwrap_or(false);
        println!("subcategory {id} {} {} {category} {local}", word(sub.name), word(sub.logo));
    }

    let named = DatabaseItem::new(TableName::KnownRunesTable, row([("id", "r1")]));
    let deleted: KnownRunesTableRow = decode(database_api::delete_row(&robot, named)?)?;
    println!("deleted {}", deleted.id);

    for spec in commands_api::list_commands(&robot)?.commands {
        if let ("sound_level", Some(bounds)) = (spec.name.as_str(), spec.bounds) {
            let (least, most) = (bounds.minimum.unwrap_or(0.0), bounds.maximum.unwrap_or(0.0));
            println!("sound_level {} {least} {most}", spec.kind);
        }
    }

    let loud = IntCommand::new("sound_level".into(), 1000);
    if let Err(Error::ResponseError(refused)) = commands_api::send_int(&robot, loud) {
        let problem: Problem = serde_json::from_str(&refused.content)?;
        println!("refused {} {}", refused.status.as_u16(), problem.code);
    }
    Ok(())
}
