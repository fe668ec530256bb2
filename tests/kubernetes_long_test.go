//go:build long

package tests

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"croupier/internal/testport"
	"croupier/internal/testproc"
)

// TestKubernetesTakes gives every overlay, without and with an exploiter, to an API server with its store, as kubectl
// apply --server-side does: it fills in defaults, checks what no schema says, and admits pods by the policy of the
// namespace. Nothing runs the pods: there are no nodes.
func TestKubernetesTakes(t *testing.T) {
	server := fetched(t, "kube-apiserver")
	for overlay, actors := range map[string]int{"small": 4, "large": 200} {
		for _, components := range [][]string{nil, {exploiter}} {
			t.Run(fmt.Sprint(overlay, components), func(t *testing.T) {
				api := startAPIServer(t, server)
				doc, _ := manifests(t, overlay, actors, components...)
				all := readManifests(t, doc)
				kept := map[*manifest]string{}
				for _, m := range all {
					kept[m] = withoutBooks(t, api.apply(m))
				}
				for _, m := range all {
					require.JSONEq(t, kept[m], withoutBooks(t, api.apply(m)), "%s: a second time changes nothing", m.name())
				}
				for _, m := range all {
					if m.Spec.Template.Spec != nil {
						api.admits(m)
					}
				}
			})
		}
	}
}

// manifest is an object as the API server gets it.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name, Namespace string }
	Spec       struct {
		Template struct {
			Metadata map[string]any
			Spec     map[string]any
		}
		VolumeClaimTemplates []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
	}
	doc []byte
}

func readManifests(t *testing.T, doc []byte) (all []*manifest) {
	t.Helper()
	for in := yaml.NewDecoder(bytes.NewReader(doc)); ; {
		var node yaml.Node
		err := in.Decode(&node)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		m := &manifest{}
		require.NoError(t, node.Decode(m))
		m.doc, err = yaml.Marshal(&node)
		require.NoError(t, err)
		all = append(all, m)
	}
}

func (m *manifest) name() string { return m.Kind + " " + m.Metadata.Name }

// path is where the API has the object.
func (m *manifest) path(api *apiServer) string {
	return api.resource(m.APIVersion, m.Kind, m.Metadata.Namespace) + "/" + m.Metadata.Name
}

// apiServer is an API server of the test's own, with a store of its own.
type apiServer struct {
	t      *testing.T
	url    string
	client http.Client
	paths  map[string]string // of resources, by version and kind
}

// accessToken is whose that may do everything.
const accessToken = "of-the-test"

func startAPIServer(t *testing.T, program string) *apiServer {
	t.Helper()
	dir := t.TempDir()
	client, peer := "http://"+testport.Free(t), "http://"+testport.Free(t)
	start(t, "etcd", needs(t, "etcd"), "--data-dir", filepath.Join(dir, "etcd"), "--listen-client-urls", client,
		"--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "default="+peer).await(client + "/health")

	tokens, key := filepath.Join(dir, "tokens.csv"), filepath.Join(dir, "accounts.pem")
	require.NoError(t, os.WriteFile(tokens, []byte(accessToken+",test,1,system:masters\n"), 0o600))
	out, err := testproc.CombinedOutput(exec.Command(needs(t, "openssl"), "genrsa", "-out", key, "2048"))
	require.NoError(t, err, "%s", out)
	host, port, err := net.SplitHostPort(testport.Free(t))
	require.NoError(t, err)
	p := start(t, "kube-apiserver", program, "--etcd-servers="+client, "--bind-address="+host, "--secure-port="+port,
		"--cert-dir="+dir, "--token-auth-file="+tokens, "--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+key,
		"--service-account-signing-key-file="+key)
	api := &apiServer{t: t, url: "https://" + host + ":" + port, paths: map[string]string{}}
	eventually(t, "the API server is ready", func() error {
		if !p.running() {
			t.Fatalf("kube-apiserver ended\n%s", p.tail())
		}
		certificate, err := os.ReadFile(filepath.Join(dir, "apiserver.crt")) // which it makes itself
		if err != nil {
			return err
		}
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(certificate)
		api.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "kubernetes"}}
		status, _, body, err := api.call(http.MethodGet, "/readyz", "", nil)
		if err == nil && status != http.StatusOK {
			err = errors.New(string(body))
		}
		return err
	})
	return api
}

// call makes a request. Its second result are the server's warnings.
func (s *apiServer) call(method, path, contentType string, body []byte) (int, []string, []byte, error) {
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+accessToken)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Values("Warning"), answer, err
}

// resource returns the path of a kind's objects.
func (s *apiServer) resource(apiVersion, kind, namespace string) string {
	root := "/apis/" + apiVersion
	if apiVersion == "v1" {
		root = "/api/v1"
	}
	if s.paths[apiVersion+kind] == "" {
		status, _, answer, err := s.call(http.MethodGet, root, "", nil)
		require.NoError(s.t, err)
		require.Equal(s.t, http.StatusOK, status, "%s: %s", apiVersion, answer)
		var list struct{ Resources []struct{ Name, Kind string } }
		require.NoError(s.t, json.Unmarshal(answer, &list))
		for _, r := range list.Resources {
			if !strings.Contains(r.Name, "/") { // as pods/log
				s.paths[apiVersion+r.Kind] = r.Name
			}
		}
		require.Contains(s.t, s.paths, apiVersion+kind)
	}
	if namespace != "" {
		root += "/namespaces/" + namespace
	}
	return root + "/" + s.paths[apiVersion+kind]
}

// apply has the server take an object, without a warning, and returns what it keeps.
func (s *apiServer) apply(m *manifest) []byte {
	status, warnings, answer, err := s.call(http.MethodPatch, m.path(s)+"?fieldManager=test&fieldValidation=Strict",
		"application/apply-patch+yaml", m.doc)
	require.NoError(s.t, err)
	require.Contains(s.t, []int{http.StatusOK, http.StatusCreated}, status, "%s: %s", m.name(), answer)
	require.Empty(s.t, warnings, m.name())
	return answer
}

// withoutBooks returns an object without what the server notes about its changes.
func withoutBooks(t *testing.T, doc []byte) string {
	t.Helper()
	var o map[string]any
	require.NoError(t, json.Unmarshal(doc, &o))
	metadata := o["metadata"].(map[string]any)
	delete(metadata, "managedFields")
	delete(metadata, "resourceVersion")
	doc, err := json.Marshal(o)
	require.NoError(t, err)
	return string(doc)
}

// admits has the server take a pod of a workload, and refuse one that may run as root, by the policy of the namespace,
// and the workload if a port has a name of more than 15 letters, which the schemas allow.
func (s *apiServer) admits(m *manifest) {
	namespace := m.Metadata.Namespace
	account := &manifest{ // else made by a controller
		APIVersion: "v1", Kind: "ServiceAccount",
		doc: []byte("{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}"),
	}
	account.Metadata.Name, account.Metadata.Namespace = "default", namespace
	s.apply(account)

	create := func(spec map[string]any) (int, string) {
		pod, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec, "metadata": map[string]any{
			"name": m.Metadata.Name, "labels": m.Spec.Template.Metadata["labels"]}})
		require.NoError(s.t, err)
		status, warnings, answer, err := s.call(http.MethodPost, s.resource(
			"v1", "Pod", namespace)+"?dryRun=All&fieldValidation=Strict",
			"application/json", pod)
		require.NoError(s.t, err)
		require.Empty(s.t, warnings, m.name())
		return status, string(answer)
	}
	spec := m.Spec.Template.Spec
	volumes, _ := spec["volumes"].([]any)
	for _, claim := range m.Spec.VolumeClaimTemplates { // else added by the controller of the StatefulSet
		volumes = append(volumes, map[string]any{"name": claim.Metadata.Name, "emptyDir": map[string]any{}})
	}
	spec["volumes"] = volumes
	status, answer := create(spec)
	require.Equal(s.t, http.StatusCreated, status, "%s: %s", m.name(), answer)
	security := spec["securityContext"].(map[string]any)
	security["runAsNonRoot"] = false
	status, answer = create(spec)
	security["runAsNonRoot"] = true
	require.Equal(s.t, http.StatusForbidden, status, "%s: %s", m.name(), answer)
	require.Contains(s.t, answer, `violates PodSecurity \"restricted:latest\": runAsNonRoot`)

	status, _, body, err := s.call(http.MethodPatch, m.path(s)+"?fieldManager=test&dryRun=All",
		"application/apply-patch+yaml",
		bytes.ReplaceAll(m.doc, []byte("metrics"), []byte("metrics-of-a-role")))
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusUnprocessableEntity, status, "%s: %s", m.name(), body)
}
