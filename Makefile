# make test      everything that must hold, in under 15 minutes on 2 cores
# make quick     what Go alone can test in two minutes; installs nothing
# make lint      format, vet, staticcheck, dead code, go.mod, builds for other systems, generated files, scripts
# make race      the packages that start goroutines, under the race detector
# make truth     the checks of every kind of number that is shown, docs/truth.md
# make long      learning and fault checks that take longer; results in docs/results.md
# make faults    1,000 random faults against clusters on hosts of their own, docs/faults.md; goes on where it was
# make fuzz      every decoder, five minutes each
# make build     bin/croupier
# make release   the program for six platforms, checksummed and tried, in dist/
# make agents    the networks and comparisons that come with the program, agents/shipped
# make screenshots  the pictures of the documents, docs/images
# make generate  messages/croupier.pb.go from its schema, the kernels from nn/kernel/asm

.PHONY: build test quick lint race truth long faults fuzz release agents screenshots generate needs

build:
	deploy/build.sh bin/croupier

needs:
	@tests/needs.sh

test: needs
	tests/test.sh

quick:
	tests/quick.sh

lint: needs
	tests/lint.sh

race:
	tests/race.sh

truth:
	tests/truth.sh

long:
	@tests/needs.sh long
	go test -timeout 4h -count=1 -v -tags long ./tests/...

faults:
	mkdir -p bin
	go test -timeout 4h -count=1 -v ./tests/faults -faults.n 1000 -faults.journal $(CURDIR)/bin/faults.jsonl $(ARGS)

fuzz:
	tests/fuzz.sh

release:
	deploy/release.sh

agents:
	agents/shipped/make.sh

screenshots: needs
	go test -timeout 20m -count=1 -tags screenshots -run TestScreenshots ./cmd/croupier

generate:
	messages/generate.sh
	nn/kernel/generate.sh
