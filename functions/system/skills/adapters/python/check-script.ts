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

def describe(node, decorator):
    given = {word.arg: word.value for word in getattr(decorator, "keywords", [])}
    found = {"name": text(node.name)}
    access_level = level(given.get("access_level"))
    if access_level:
        found["access_level"] = text(access_level)
    description = prose(given.get("description")) or docstring(node)
    if description:
        found["description"] = text(description)
    return found

BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")

def functions(tree):
    found, waiting = [], [tree]
    while waiting and len(found) < MAX_FUNCTIONS:
        node = waiting.pop()
        decorator = skill_decorator(node) if hasattr(node, "decorator_list") and hasattr(node, "args") else None
        if decorator is not None:
            found.append(describe(node, decorator))
        # A lambda's body is an expression; only statements can contain definitions.
        blocks = [getattr(node, name, None) for name in BLOCKS]
        inner = [child for block in blocks if isinstance(block, list) for child in block]
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
