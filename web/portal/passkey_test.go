package portal

import (
	"testing"
	"time"

	"tirage/central"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

func passkeySamples(t testing.TB) []pagetest.Sample {
	t.Helper()
	sample := func(name, of string, data func(page.Base) any) pagetest.Sample {
		return pagetest.Sample{Name: of + ": " + name, Page: of, Data: data}
	}
	list := func(b page.Base) *passkeysPage {
		return &passkeysPage{member: sampleMember(t, b, nil), form: newForm(""), To: pathPasskeys, Keys: []central.Passkey{
			{ID: "-_0", Name: "Téléphone <b>", Added: aDay.Add(-time.Hour), Used: aDay},
			{ID: "AAA", Name: "Clé de sécurité", Added: aDay, Copied: true},
		}}
	}
	options := `{"challenge":"QUFB","rpId":"\"<b>"}`
	signOn := func(b page.Base) *passkeySignOnPage {
		return &passkeySignOnPage{
			entry: entry{shell: framed(b, pathSignOn, ""), form: newForm(""), Links: theAccountPaths}, Next: pathAccount,
			Ceremony: &ceremony{pathPasskeyAnswer, "get", options},
		}
	}
	return []pagetest.Sample{
		sample("none", "passkeys", func(b page.Base) any {
			return &passkeysPage{member: sampleMember(t, b, nil), form: newForm(""), To: pathPasskeys}
		}),
		sample("two", "passkeys", func(b page.Base) any { return *list(b) }),
		sample("begun", "passkeys", func(b page.Base) any {
			v := list(b)
			v.Name, v.Ceremony = "Mon <b>", &ceremony{pathPasskeys, "create", options}
			return v
		}),
		sample("wrong password", "passkeys", func(b page.Base) any {
			v := list(b)
			refusedForm(b.Lang, &v.form, &fieldError{"password", central.ErrOldPassword}, nil)
			return v
		}),
		sample("not removed", "passkeys", func(b page.Base) any {
			v := list(b)
			v.Faulty = "-_0"
			refusedForm(b.Lang, &v.form, &fieldError{"password", central.ErrOldPassword}, nil)
			return v
		}),
		sample("wrong name", "passkeys", func(b page.Base) any {
			v := list(b)
			v.Faulty = "AAA"
			refusedForm(b.Lang, &v.form, &fieldError{"name", central.ErrPasskeyName}, nil)
			return v
		}),
		sample("asked", "signon_passkey", func(b page.Base) any { return signOn(b) }),
		sample("refused", "signon_passkey", func(b page.Base) any {
			v := signOn(b)
			refusedForm(b.Lang, &v.form, central.ErrPasskey, nil)
			return v
		}),
		sample("plain", "password", func(b page.Base) any { return newPasswordPage(sampleMember(t, b, nil)) }),
		sample("wrong", "password", func(b page.Base) any {
			v := newPasswordPage(sampleMember(t, b, nil))
			refusedForm(b.Lang, &v.form, atPassword(central.ErrOldPassword), nil)
			return v
		}),
	}
}
