"""web3.py: `sync` or `async`. See ../README.md for what every program does."""

import asyncio
import inspect
import json
import sys

from eth_account import Account
from web3 import AsyncHTTPProvider, AsyncWeb3, HTTPProvider, LegacyWebSocketProvider, Web3, WebSocketProvider
from web3.middleware import ExtraDataToPOAMiddleware, SignAndSendRawMiddlewareBuilder

mode, path = sys.argv[1:]
with open(path) as file:
    task = json.load(file)
url, to, contracts = task["url"], Web3.to_checksum_address(task["to"]), task["contracts"]


async def settled(value):
    """What it is, of the synchronous and of the asynchronous client."""
    return await value if inspect.isawaitable(value) else value


async def connected():
    if mode == "sync":
        return Web3(LegacyWebSocketProvider(url) if url.startswith("ws") else HTTPProvider(url))
    if url.startswith("ws"):
        return await AsyncWeb3(WebSocketProvider(url))
    return AsyncWeb3(AsyncHTTPProvider(url))


def transfer_of(event):
    args = event["args"]
    return {"from": args["from"], "to": args["to"], "value": str(args["value"])}


async def main():
    w3 = await connected()
    # The extra data of a consortium chain's headers holds the validators: web3.py needs this
    # middleware to accept it.
    w3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)
    key = task.get("privateKey")
    if key:
        account = Account.from_key(key)
        w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(account), layer=0)
        sender = account.address
    else:
        sender = (await settled(w3.eth.accounts))[0]
    terms = {"from": sender}
    if "gasPrice" in task:
        terms["gasPrice"] = task["gasPrice"]

    async def mined(transaction_hash):
        return await settled(w3.eth.wait_for_transaction_receipt(await settled(transaction_hash)))

    async def deploy(name, *args):
        contract = w3.eth.contract(abi=contracts[name]["abi"], bytecode=contracts[name]["bytecode"])
        receipt = await mined(contract.constructor(*args).transact(terms))
        return w3.eth.contract(address=receipt["contractAddress"], abi=contracts[name]["abi"])

    token = await deploy("Token")
    heard = None
    if mode == "async" and url.startswith("ws"):
        topics = [Web3.keccak(text="Transfer(address,address,uint256)"), None, "0x" + to[2:].lower().zfill(64)]
        await w3.eth.subscribe("logs", {"address": token.address, "topics": topics})
    transfer = await mined(token.functions.transfer(to, 5).transact(terms))
    if mode == "async" and url.startswith("ws"):
        async for message in w3.socket.process_subscriptions():
            heard = [transfer_of(token.events.Transfer().process_log(message["result"]))]
            break
    past = await settled(token.events.Transfer().get_logs(from_block=0, argument_filters={"to": to}))

    first = await deploy("BoxV1")
    call = first.encode_abi("initialize", args=[41])
    proxy = await deploy("BoxProxy", first.address, call)
    box = w3.eth.contract(address=proxy.address, abi=contracts["BoxV2"]["abi"])
    await mined(box.functions.set(42).transact(terms))
    second = await deploy("BoxV2")
    await mined(box.functions.upgradeToAndCall(second.address, b"").transact(terms))
    await mined(w3.eth.send_transaction({**terms, "to": to, "value": 1}))

    async def read(function):
        return str(await settled(function.call()))

    finding = {
        "token": token.address,
        "box": box.address,
        "transaction": Web3.to_hex(transfer["transactionHash"]),
        "past": [transfer_of(event) for event in past],
        "read": {
            "balance": await read(token.functions.balanceOf(to)),
            "value": await read(box.functions.value()),
            "version": await read(box.functions.version()),
        },
    }
    if heard:
        finding["heard"] = heard
    print(json.dumps(finding))
    if mode == "async" and url.startswith("ws"):
        await w3.provider.disconnect()


asyncio.run(main())
