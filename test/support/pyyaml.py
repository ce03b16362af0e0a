"""Reads pairs of YAML documents (JSON on stdin) as PyYAML does, tags of other programs as plain values."""
import json
import sys

import yaml


class Loader(yaml.SafeLoader):
    pass


def plain(loader, _suffix, node):
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return ["tagged", node.tag, node.value]


Loader.add_multi_constructor("!", plain)


def read(text):
    try:
        return {"value": yaml.load(text, Loader)}
    except yaml.YAMLError as error:
        return {"error": str(error)}


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout, default=str)
