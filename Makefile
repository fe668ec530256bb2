# make test      the tests of each change: 7 minutes on 2 cores when compiled
# make quick     those of them that need Go alone: 1½ minutes; installs nothing
# make lint      format, vet, staticcheck, dead code, go.mod, types for other systems, generated files, scripts
# make race      the packages with goroutines that have changed, under the race detector
# make nightly   all tests in full length, all packages under the race detector, containers, a release, fuzzing
# make long      by hand: learning and fault checks that take hours; results in docs/lab/results.md
# make truth     the checks of every kind of number that is shown, docs/explain/truth.md
# make faults    1,000 random faults against clusters on hosts of their own, docs/lab/faults.md; continues where it was
# make fuzz      every decoder, five minutes each
# make build     bin/croupier
# make release   the program for six platforms with checksums and SBOM, tried, in dist/; VERSION=0.1.0 asks for that tag
# make agents    the networks and comparisons that come with the program, games/NAME/trained
# make site      the documents as a site, dist/site
# make screenshots  the pictures of the documents, docs/images
# make generate  messages/croupier.pb.go from its schema, the kernels from nn/kernel/asm

.PHONY: build test quick lint race nightly truth long faults fuzz release agents screenshots site generate needs

build:
	deploy/build.sh bin/croupier

needs:
	@tests/needs.sh

test: needs
	tests/test.sh

quick:
	tests/quick.sh

lint:
	tests/lint.sh

race:
	tests/race.sh

nightly:
	tests/nightly.sh

truth:
	tests/truth.sh

long:
	@tests/needs.sh long
	go test -timeout 4h -count=1 -v -tags nightly,long ./tests/...

faults:
	mkdir -p bin
	go test -timeout 4h -count=1 -v ./tests/faults -faults.n 1000 -faults.journal $(CURDIR)/bin/faults.jsonl $(ARGS)

fuzz:
	tests/fuzz.sh

release:
	deploy/release.sh

agents:
	games/train.sh

site:
	go run ./cmd/site dist/site

screenshots: needs
	go test -timeout 20m -count=1 -tags screenshots -run TestScreenshots ./cli

generate:
	messages/generate.sh
	nn/kernel/generate.sh
