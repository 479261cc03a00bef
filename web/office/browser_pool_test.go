package office

import (
	"testing"

	"github.com/chromedp/chromedp"

	"tirage/money"
)

// F18: an officer proposes on the page of a pool, by keyboard, to close it, and both
// pages are as they should be on a desk's screen and a phone's.
func TestF18_ClosePoolInBrowser(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	second := o.second()
	o.web()
	o.selling(second.ID, 3)
	o.play(o.player("Zoé", "Martin", "zoe@exemple.test", money.Euros(50)), 4)
	ctx := o.browse()
	o.must(chromedp.Do(ctx,
		chromedp.SendKeys(chromedp.CSS("#login"), "marie"), chromedp.SendKeys(chromedp.CSS("#password"), password+"\r"), chromedp.WaitVisible(chromedp.CSS("main.work")),
		chromedp.Navigate(o.url+pathPools+"/1")))
	o.look(ctx, "office-pool", true)
	o.must(chromedp.Do(ctx,
		chromedp.SendKeys(chromedp.CSS("#reason"), "Base restaurée de la nuit\t\r"), chromedp.WaitVisible(chromedp.CSS("article.card"))))
	o.look(ctx, "office-pool-proposed", true)
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathPools+"/1?lang=en")))
	if !eval[bool](ctx, o, `document.querySelector("main").textContent.includes("another officer must approve")`) {
		t.Error("the page of the pool does not say that its close waits")
	}
	o.shoot(ctx, "office-pool-waits")
}
