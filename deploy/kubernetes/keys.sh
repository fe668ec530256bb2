#!/bin/sh
# Writes, into the folder of a credential set, the kustomization that brings its keys into the cluster:
#
#   deploy/kubernetes/keys.sh FOLDER
#
# The public ones go to the brokers, with the certificate that they show one another, which it makes once; each role gets
# its secret, and actors find theirs by the names of their pods. Run it again when keys have come or gone.
set -eu
cd "$1"
[ -s cluster.key ] || (umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 \
	-subj /CN=brokers -addext subjectAltName=DNS:broker-0.broker,DNS:broker-1.broker,DNS:broker-2.broker \
	-keyout cluster.key -out cluster.pem 2>/dev/null)
{
	cat <<'END'
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
# Changed keys reach the pods that run.
generatorOptions: {disableNameSuffixHash: true}
configMapGenerator:
  - {name: keys, files: [broker.yaml]}
secretGenerator:
  - {name: brokers, files: [cluster.pem, cluster.key]}
  - {name: learner, files: [learner.seed]}
  - {name: league, files: [league.seed]}
  - {name: web, files: [web.seed]}
END
	[ ! -s peer.seed ] || echo "  - {name: peer, files: [peer.seed]}"
	cat <<'END'
  - name: actors
    files:
END
	for seed in actor-*.seed; do
		echo "      - $seed"
	done
} >kustomization.yaml
