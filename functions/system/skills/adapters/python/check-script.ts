/**
 * A program that checks one source file. It compiles the source without running it, so it rejects what `import` would
 * reject. It is a string passed to the interpreter with `-c`, so that it is part of every bundle.
 *
 * It prints `READY` first, to distinguish an interpreter that does not work from a source that crashes it, and then one
 * line of JSON. The resource limits apply to its own process.
 */
export const CHECK_SCRIPT = String.raw`
import ast, gc, json, sys

MAX_FUNCTIONS, MAX_CHARACTERS = 1000, 2000

try:
    import resource
except ImportError:
    resource = None

def limit(name, value):
    try:
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(kind, (value, value))
    except (AttributeError, OSError, ValueError):
        pass

def text(value):
    value = value[:MAX_CHARACTERS]
    return value.encode("utf-8", "replace").decode("utf-8")

def level(node):
    if isinstance(node, ast.Attribute) and node.attr in ("value", "name"):
        node = node.value
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return getattr(node, "attr", None) or getattr(node, "id", None)

def prose(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None

def docstring(node):
    found = ast.get_docstring(node, clean=False)
    return found and "\n".join(line.strip() for line in found[:MAX_CHARACTERS].strip().splitlines())

def skill_decorator(node):
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if getattr(target, "attr", None) == "skill" or getattr(target, "id", None) == "skill":
            return decorator
    return None

VENDOR = "pymirokai"

# Names that imports of the vendor's package bind, outside of functions and classes.
def vendor_names(tree):
    found, waiting = set(), [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for block in (getattr(node, name, None) for name in BLOCKS):
            waiting.extend(block if isinstance(block, list) else [])
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == VENDOR:
            found.update(alias.asname or alias.name for alias in node.names)
        if isinstance(node, ast.Import):
            found.update(alias.asname or VENDOR for alias in node.names if alias.name.split(".")[0] == VENDOR)
    return found

def root_name(decorator):
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    while isinstance(node, ast.Attribute):
        node = node.value
    return getattr(node, "id", None)

SIMPLE = {
    "int": "integer", "float": "number", "str": "string", "bool": "boolean",
    "list": "array", "List": "array", "dict": "object", "Dict": "object",
}

def any_of(schemas):
    return {"anyOf": schemas} if all(schemas) else {}

# JSON Schema of what an annotation allows. Unknown ones allow anything.
def schema(node, depth=0):
    if node is None or depth > 8:
        return {}
    if isinstance(node, ast.Constant) and node.value is None:
        return {"type": "null"}
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return schema(ast.parse(node.value.strip(), mode="eval").body, depth + 1)
        except (SyntaxError, ValueError):
            return {}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return any_of([schema(node.left, depth + 1), schema(node.right, depth + 1)])
    if isinstance(node, ast.Subscript):
        inside = node.slice
        inner = list(inside.elts) if isinstance(inside, ast.Tuple) else [inside]
        return generic(getattr(node.value, "attr", None) or getattr(node.value, "id", None), inner, depth + 1)
    kind = SIMPLE.get(getattr(node, "attr", None) or getattr(node, "id", None))
    return {"type": kind} if kind else {}

def generic(name, inner, depth):
    if name == "Optional":
        return any_of([schema(inner[0], depth), {"type": "null"}])
    if name == "Union":
        return any_of([schema(node, depth) for node in inner])
    if name == "Annotated":
        return schema(inner[0], depth)
    if name == "Literal":
        values = [node.value for node in inner if isinstance(node, ast.Constant)]
        plain = all(value is None or isinstance(value, (str, bool, int)) for value in values)
        return {"enum": values} if plain and len(values) == len(inner) else {}
    if name in ("list", "List"):
        items = schema(inner[0], depth)
        return {"type": "array", "items": items} if items else {"type": "array"}
    if name in ("dict", "Dict"):
        values = schema(inner[-1], depth)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    return {}

class Unsupported(Exception):
    pass

# JSON Schema of the arguments. The first parameter is the robot.
def arguments(node):
    given = node.args
    if given.vararg or given.kwarg:
        raise Unsupported(node)
    positional = given.posonlyargs + given.args
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    taken = list(zip(positional, defaults))[1:] + list(zip(given.kwonlyargs, given.kw_defaults))
    properties, required = {}, []
    for parameter, default in taken:
        properties[text(parameter.arg)] = described = schema(parameter.annotation)
        if default is None:
            required.append(text(parameter.arg))
            continue
        try:
            value = ast.literal_eval(default)
            if len(json.dumps(value, allow_nan=False)) <= MAX_CHARACTERS:
                described["default"] = value
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            pass
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

def describe(node, decorator, nested, vendor):
    given = {word.arg: word.value for word in getattr(decorator, "keywords", [])}
    found = {"name": text(node.name)}
    # A level that parsing cannot tell is not taken for the lowest.
    access_level = level(given.get("access_level")) or ("unknown" if "access_level" in given or None in given else None)
    if access_level:
        found["access_level"] = text(access_level)
    description = prose(given.get("description")) or docstring(node)
    if description:
        found["description"] = text(description)
    if not nested:
        found["args"] = arguments(node)
    if root_name(decorator) in vendor:
        found["package"] = VENDOR
    return found

BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")

def functions(tree):
    found, waiting, vendor = [], [(tree, False)], vendor_names(tree)
    while waiting and len(found) < MAX_FUNCTIONS:
        node, nested = waiting.pop()
        decorator = skill_decorator(node) if hasattr(node, "decorator_list") and hasattr(node, "args") else None
        if decorator is not None:
            found.append(describe(node, decorator, nested, vendor))
        # A lambda's body is an expression; only statements can contain definitions.
        blocks = [getattr(node, name, None) for name in BLOCKS]
        nested = nested or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        inner = [(child, nested) for block in blocks if isinstance(block, list) for child in block]
        waiting.extend(reversed(inner))
    return found

def check(source):
    compile(source, "<skill>", "exec", dont_inherit=True)

# For a bytes source the parser counts columns inconsistently, in bytes or characters. For a str source it counts
# characters, except for errors raised after parsing, which have no text.
def fault(source, error):
    try:
        check(source.decode("utf-8-sig"))
    except SyntaxError as from_text:
        error = from_text
    except (RecursionError, MemoryError, ValueError, OverflowError):
        pass
    line, column = error.lineno, error.offset
    if error.text is None and line and column:
        quoted = b"".join(source.splitlines()[line - 1 : line])
        column = len(quoted[: column - 1].decode("utf-8", "replace")) + 1
    return {"kind": "invalid", "message": text(str(error.msg)), "line": line, "column": column}

def verdict(source):
    try:
        check(source)
        return {"kind": "valid", "functions": functions(ast.parse(source))}
    except SyntaxError as error:
        return fault(source, error)
    except Unsupported as error:
        node = error.args[0]
        message = text(node.name) + " takes *args or **kwargs; a skill names each of its arguments"
        return {"kind": "invalid", "message": message, "line": node.lineno}
    except (RecursionError, MemoryError):
        return {"kind": "invalid", "message": "the source is nested too deeply or too large to be parsed"}
    except (ValueError, OverflowError, LookupError) as error:
        return {"kind": "invalid", "message": text(str(error))}

for name, value in (("RLIMIT_AS", 1 << 30), ("RLIMIT_CPU", 5), ("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 0)):
    limit(name, value)
gc.disable()
sys.stdout.write("READY\n")
sys.stdout.flush()
sys.stdout.write(json.dumps(verdict(sys.stdin.buffer.read())) + "\n")
sys.stdout.flush()
`;
