package broker

import (
	"fmt"

	"github.com/nats-io/nats-server/v2/server"

	"croupier/messages"
)

// A key other than an operator's or the learner's has an account of NATS to itself, which has no
// streams: what the key may do is imported from the account that has them. Permissions alone would
// not hold: the broker sends answers wherever a request wants them (its reply subject), also to
// subjects to which the client may not publish, so a request with the reply subject of a stream
// would write there. From an account of its own an answer reaches nothing else.

const (
	globalAccount = "$G" // of NATS; it has the streams
	// withStreams is NATS's own way to say that an account has JetStream; its Go interface has none.
	// accountInfo must be imported from where the streams are, or the server connects an account with all
	// of JetStream's API by itself.
	accountInfo = "$JS.API.INFO"
	withStreams = `accounts { STREAMS { jetstream: enabled } }`
)

// Exports of the account with the streams. No two of them may contain the same subject.
var (
	exportedServices = []string{
		accountInfo, "$JS.API.STREAM.>", "$JS.API.DIRECT.GET.*.>", "$JS.API.CONSUMER.INFO.>", "$JS.ACK.>", "croupier.>", "$KV.>", "$O.>",
	}
	exportedQuestions = []string{"$JS.API.DIRECT.GET.*", "$JS.API.CONSUMER.MSG.NEXT.>"} // with many answers
	exportedStreams   = []string{"croupier.>", "$KV.>", "$O.>"}
)

// admit adds the keys of a credential set to the options of the server.
func (k *Keys) admit(opts *server.Options) error {
	parsed := &server.Options{}
	if err := parsed.ProcessConfigString(withStreams); err != nil {
		return err
	}
	streams := parsed.Accounts[0]
	streams.Name = globalAccount
	for _, subject := range exportedServices {
		if err := streams.AddServiceExport(subject, nil); err != nil {
			return fmt.Errorf("export %s: %w", subject, err)
		}
	}
	for _, subject := range exportedQuestions {
		if err := streams.AddServiceExportWithResponse(subject, server.Streamed, nil); err != nil {
			return fmt.Errorf("export %s: %w", subject, err)
		}
	}
	for _, subject := range exportedStreams {
		if err := streams.AddStreamExport(subject, nil); err != nil {
			return fmt.Errorf("export %s: %w", subject, err)
		}
	}
	opts.Accounts = append(opts.Accounts, streams)
	for _, key := range k.Keys {
		g, account := grantOf(k.Run, key), streams
		if g != nil && key.Role != messages.LearnerRole {
			account = server.NewAccount(k.Run + "/" + key.Name)
			if err := g.imports(account, streams); err != nil {
				return fmt.Errorf("key %s: %w", key.Name, err)
			}
			opts.Accounts = append(opts.Accounts, account)
		}
		for _, public := range []string{key.Public, key.Previous} {
			if public != "" {
				opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{Nkey: public, Account: account, Permissions: g.permissions()})
			}
		}
	}
	return nil
}

// imports lets an account do what is granted, and nothing else.
func (g *grant) imports(account, streams *server.Account) error {
	for _, subject := range append(g.requests(), accountInfo) {
		if err := account.AddServiceImport(streams, subject, subject); err != nil {
			return fmt.Errorf("import %s: %w", subject, err)
		}
	}
	for _, subject := range g.subscribe {
		if private(subject) {
			continue
		}
		if err := account.AddStreamImport(streams, subject, ""); err != nil {
			return fmt.Errorf("import %s: %w", subject, err)
		}
	}
	return nil
}

// permissions has the broker refuse what is not granted, and say so.
func (g *grant) permissions() *server.Permissions {
	if g == nil {
		return nil
	}
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: g.requests()}, Subscribe: &server.SubjectPermission{Allow: g.subscribe},
	}
}
