// go-ethereum's ethclient. See ../README.md for what every program does.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
)

type contract struct {
	ABI      json.RawMessage `json:"abi"`
	Bytecode string          `json:"bytecode"`
}

type task struct {
	URL        string              `json:"url"`
	ChainID    int64               `json:"chainId"`
	PrivateKey string              `json:"privateKey"`
	To         common.Address      `json:"to"`
	Contracts  map[string]contract `json:"contracts"`
	GasPrice   *int64              `json:"gasPrice"`
}

type transfer struct {
	From  common.Address `json:"from"`
	To    common.Address `json:"to"`
	Value string         `json:"value"`
}

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	var work task
	if err := json.Unmarshal(must(os.ReadFile(os.Args[1])), &work); err != nil {
		log.Fatal(err)
	}
	client := must(ethclient.Dial(work.URL))
	key := must(crypto.HexToECDSA(strings.TrimPrefix(work.PrivateKey, "0x")))
	auth := must(bind.NewKeyedTransactorWithChainID(key, big.NewInt(work.ChainID)))
	if work.GasPrice != nil {
		auth.GasPrice = big.NewInt(*work.GasPrice)
	}

	mined := func(tx *types.Transaction) *types.Receipt {
		receipt := must(bind.WaitMined(ctx, client, tx))
		if receipt.Status != types.ReceiptStatusSuccessful {
			log.Fatalf("%s failed", tx.Hash())
		}
		return receipt
	}
	interfaceOf := func(name string) abi.ABI {
		return must(abi.JSON(strings.NewReader(string(work.Contracts[name].ABI))))
	}
	deploy := func(name string, args ...any) common.Address {
		code := common.FromHex(work.Contracts[name].Bytecode)
		address, tx, _, err := bind.DeployContract(auth, interfaceOf(name), code, client, args...)
		must(address, err)
		mined(tx)
		return address
	}
	at := func(address common.Address, name string) *bind.BoundContract {
		return bind.NewBoundContract(address, interfaceOf(name), client, client, client)
	}
	read := func(contract *bind.BoundContract, method string, args ...any) string {
		var out []any
		if err := contract.Call(nil, &out, method, args...); err != nil {
			log.Fatal(err)
		}
		return fmt.Sprint(out[0])
	}
	transferOf := func(entry types.Log) transfer {
		value := new(big.Int).SetBytes(entry.Data)
		from := common.BytesToAddress(entry.Topics[1].Bytes())
		return transfer{from, common.BytesToAddress(entry.Topics[2].Bytes()), value.String()}
	}

	address := deploy("Token")
	token := at(address, "Token")
	query := ethereum.FilterQuery{
		FromBlock: common.Big0,
		Addresses: []common.Address{address},
		Topics: [][]common.Hash{
			{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))},
			nil,
			{common.BytesToHash(work.To.Bytes())},
		},
	}
	entries := make(chan types.Log)
	if strings.HasPrefix(work.URL, "ws") {
		live := query
		live.FromBlock = nil
		must(client.SubscribeFilterLogs(ctx, live, entries))
	}
	sent := must(token.Transact(auth, "transfer", work.To, big.NewInt(5)))
	mined(sent)
	var heard []transfer
	if strings.HasPrefix(work.URL, "ws") {
		heard = append(heard, transferOf(<-entries))
	}
	var past []transfer
	for _, entry := range must(client.FilterLogs(ctx, query)) {
		past = append(past, transferOf(entry))
	}

	first := deploy("BoxV1")
	v1 := interfaceOf("BoxV1")
	proxy := deploy("BoxProxy", first, must(v1.Pack("initialize", big.NewInt(41))))
	box := at(proxy, "BoxV2")
	mined(must(box.Transact(auth, "set", big.NewInt(42))))
	second := deploy("BoxV2")
	mined(must(box.Transact(auth, "upgradeToAndCall", second, []byte{})))
	nothing := bind.NewBoundContract(work.To, abi.ABI{}, client, client, client)
	paying := *auth
	paying.Value = big.NewInt(1)
	paying.GasLimit = 21_000
	mined(must(nothing.RawTransact(&paying, nil)))

	finding := map[string]any{
		"token": address, "box": proxy, "transaction": sent.Hash(), "past": past,
		"read": map[string]string{
			"balance": read(token, "balanceOf", work.To),
			"value":   read(box, "value"),
			"version": read(box, "version"),
		},
	}
	if heard != nil {
		finding["heard"] = heard
	}
	fmt.Println(string(must(json.Marshal(finding))))
}
