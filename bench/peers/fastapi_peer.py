"""FastAPI with PyJWT on uvicorn, as robot back ends are commonly written. Debian: python3-fastapi, python3-uvicorn, python3-jwt."""
import os

import jwt
import uvicorn
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, Field

PUBLIC = load_pem_private_key(os.environ["BENCH_KEY"].encode(), None).public_key()
app = FastAPI()
level = 50


class IntCommand(BaseModel):
    command: str = Field(min_length=1, max_length=128)
    value: int = Field(ge=0, le=100)


async def caller(authorization: str = Header()):
    try:
        return jwt.decode(authorization[7:], PUBLIC, algorithms=["ES256"], options={"verify_aud": False})
    except jwt.PyJWTError as error:
        raise HTTPException(401) from error


@app.post("/api/v1/int/")
async def send_int(body: IntCommand, _claims=Depends(caller)):
    global level
    level = body.value
    return {"command": body.command, "value": body.value, "result": {"sound_level": level}}


@app.on_event("startup")
async def ready():
    print("ready", flush=True)


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="error")
