package broker

import (
	"cmp"
	"fmt"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"

	"croupier/messages"
)

// A key other than an operator's, the learner's or a sweep's has an account of NATS to itself, which has no
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

// At a leaf the account in the streams' place has none: all that is granted there is imported from it under
// another name, which the link to the hub carries on. NATS lets nothing of JetStream across a link under its own.
const (
	hubPrefix   = "hub."
	cachePrefix = "cache."
)

// Exports of the account with the streams. No two of them may contain the same subject.
var (
	exportedServices = []string{
		accountInfo, "$JS.API.STREAM.>", "$JS.API.DIRECT.GET.*.>", "$JS.API.CONSUMER.INFO.>", "$JS.ACK.>", "croupier.>",
		"$KV.>", "$O.>",
	}
	exportedQuestions = []string{"$JS.API.DIRECT.GET.*", "$JS.API.CONSUMER.MSG.NEXT.>"} // with many answers
	exportedStreams   = []string{"croupier.>", "$KV.>", "$O.>", announcements + ">"}
)

// admit adds the keys of a credential set to the options of a server that has the streams. Imports are from live, the
// account of a server at work, unless it is nil: while a server reloads its options they must not be from an account
// that is only in these, since that has no subscriptions, and a client that subscribes at that moment ends the server.
// The broker itself, with a key that only it has, may do everything.
func (k *Keys) admit(opts *server.Options, live *server.Account, itself user) error {
	parsed := &server.Options{}
	if err := parsed.ProcessConfigString(withStreams); err != nil {
		return err
	}
	streams := parsed.Accounts[0]
	streams.Name = globalAccount
	if err := export(streams, ""); err != nil {
		return err
	}
	opts.Accounts = append(opts.Accounts, streams)
	opts.Nkeys = append(opts.Nkeys, &server.NkeyUser{
		Nkey: itself.public, Account: streams, AllowedConnectionTypes: map[string]struct{}{jwt.ConnectionTypeInProcess: {}},
	})
	from := cmp.Or(live, streams)
	for _, key := range k.Keys {
		g, account := grantOf(k.Run, key), streams
		if g != nil && !withinStreams(key.Role) {
			var err error
			if account, err = newAccount(k.account(key)); err != nil {
				return err
			}
			own := unchanged
			if key.Role == LeafRole {
				own = throughLink
			}
			err = account.AddServiceImport(from, accountInfo, accountInfo)
			if err = cmp.Or(err, g.imports(account, from, own, unchanged)); err != nil {
				return fmt.Errorf("key %s: %w", key.Name, err)
			}
			opts.Accounts = append(opts.Accounts, account)
		}
		key.enter(opts, account, g.permissions())
	}
	return nil
}

// withinStreams reports whether keys of a role are in the account with the streams: what a key of an account of its own
// tells does not reach the subscriptions of another such key. No process answers what a sweep sends, so that the
// account gives it no way to anything else.
func withinStreams(role string) bool {
	return role == messages.LearnerRole || role == messages.SweepRole
}

// account is the name of the account that a key has to itself.
func (k *Keys) account(key Key) string { return k.Run + "/" + key.Name }

// enter lets the owner of a key into an account: a leaf's by a link only, everybody else's never by one.
func (k *Key) enter(opts *server.Options, account *server.Account, may *server.Permissions) {
	by := map[string]struct{}{jwt.ConnectionTypeStandard: {}, jwt.ConnectionTypeInProcess: {}}
	if k.Role == LeafRole {
		by, may = map[string]struct{}{jwt.ConnectionTypeLeafnode: {}}, nil // its account says what it may
	}
	for _, public := range []string{k.Public, k.Previous} {
		if public != "" {
			user := &server.NkeyUser{Nkey: public, Account: account, Permissions: may, AllowedConnectionTypes: by}
			opts.Nkeys = append(opts.Nkeys, user)
		}
	}
}

// export lets other accounts import what the account with the streams has, each subject after a prefix.
func export(account *server.Account, prefix string) error {
	for _, subject := range exportedServices {
		if err := account.AddServiceExport(prefix+subject, nil); err != nil {
			return fmt.Errorf("export %s: %w", subject, err)
		}
	}
	for _, subject := range exportedQuestions {
		if err := account.AddServiceExportWithResponse(prefix+subject, server.Streamed, nil); err != nil {
			return fmt.Errorf("export %s: %w", subject, err)
		}
	}
	for _, subject := range exportedStreams {
		if err := account.AddStreamExport(prefix+subject, nil); err != nil {
			return fmt.Errorf("export %s: %w", subject, err)
		}
	}
	return nil
}

// How a subject is called on one side of an import.
func unchanged(subject string) string   { return subject }
func throughLink(subject string) string { return hubPrefix + subject }

// imports lets an account do what is granted, and nothing else. A subject of the grant is own(subject) in the
// account, and theirs(subject) in the one from which it is imported.
func (g *grant) imports(account, from *server.Account, own, theirs func(string) string) error {
	for _, subject := range g.requests() {
		if err := account.AddServiceImport(from, own(subject), theirs(subject)); err != nil {
			return fmt.Errorf("import %s: %w", subject, err)
		}
	}
	for _, subject := range g.subscribe {
		if private(subject) {
			continue
		}
		if err := account.AddMappedStreamImport(from, theirs(subject), own(subject)); err != nil {
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
