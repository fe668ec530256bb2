# make test    everything that must hold, in under 15 minutes on 2 cores
# make lint    formatting, vet, staticcheck, generated files
# make long    learning and fault checks that take longer; results in docs/results.md
# make build   bin/croupier
# make generate  messages/croupier.pb.go from its schema, the kernels from nn/kernel/asm

.PHONY: build test lint long generate needs

build:
	CGO_ENABLED=0 go build -trimpath -o bin/croupier ./cmd/croupier

needs:
	@tests/needs.sh

test: needs
	go test -timeout 14m ./...

lint: needs
	tests/lint.sh

long: needs
	go test -timeout 3h -count=1 -v -tags long ./tests/...

generate:
	messages/generate.sh
	nn/kernel/generate.sh
