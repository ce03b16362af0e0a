"""FastAPI with PyJWT on uvicorn, as robot back ends are commonly written. Debian: python3-fastapi, python3-uvicorn, python3-jwt."""
import os

import jwt
import uvicorn
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, Field

PUBLIC = load_pem_private_key(os.environ["BENCH_KEY"].encode(), None).public_key()
app = FastAPI()
detected = {"rune-1"}


class StrCommand(BaseModel):
    command: str = Field(min_length=1, max_length=128)
    value: str = Field(max_length=16384)


async def caller(authorization: str = Header()):
    try:
        return jwt.decode(authorization[7:], PUBLIC, algorithms=["ES256"], options={"verify_aud": False})
    except jwt.PyJWTError as error:
        raise HTTPException(401) from error


@app.post("/api/v1/str/")
async def send_str(body: StrCommand, _claims=Depends(caller)):
    return {"command": body.command, "value": body.value, "result": body.value in detected}


@app.on_event("startup")
async def ready():
    print("ready", flush=True)


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="error")
