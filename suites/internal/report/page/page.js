"use strict";
(() => {
  const key = "authenticator-conformance.appearance";
  const root = document.documentElement;

  // Storage may be forbidden, and says so by throwing: then nothing is remembered.
  const remembered = () => {
    try { return localStorage.getItem(key) || ""; } catch { return ""; }
  };
  const remember = (choice) => {
    try { localStorage.setItem(key, choice); } catch { /* the choice holds for this page only */ }
  };
  const appear = (choice) => {
    if (choice === "light" || choice === "dark") root.dataset.appearance = choice;
    else delete root.dataset.appearance;
  };
  appear(remembered()); // before anything is painted

  const start = () => {
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];
    const byId = (id) => document.getElementById(id);
    for (const element of all(".scripted")) element.hidden = false;

    // What rows can be filtered by: each control is named after the data of a row, but for that of their text.
    const control = Object.fromEntries(all(".filter select, .filter input").map((element) => [element.id.slice("filter-".length), element]));
    const names = Object.keys(control);
    const chosen = names.filter((name) => name !== "text");

    const say = (words) => {
      const place = byId("said");
      place.textContent = "";
      setTimeout(() => { place.textContent = words; }, 50); // so that the same words are announced again
    };

    const appearance = byId("appearance");
    appearance.value = root.dataset.appearance || "";
    appearance.addEventListener("change", () => {
      appear(appearance.value);
      remember(appearance.value);
    });

    // Copying: by the clipboard where the page may use it, else by a selection.
    const copied = async (text) => {
      try {
        await navigator.clipboard.writeText(text);
        return true;
      } catch {
        const focused = document.activeElement;
        const area = document.createElement("textarea");
        area.value = text;
        area.className = "unseen";
        document.body.append(area);
        area.select();
        let done = false;
        try { done = document.execCommand("copy"); } catch { /* told below */ }
        area.remove();
        if (focused) focused.focus({ preventScroll: true });
        return done;
      }
    };
    for (const button of all("button.copy")) {
      button.addEventListener("click", async () => {
        const text = button.parentElement.querySelector("pre");
        if (await copied(text.textContent)) {
          button.textContent = "Copied";
          say("The line is copied.");
        } else {
          getSelection().selectAllChildren(text);
          button.textContent = "Selected: copy it by hand";
          say("The line is selected; copy it by hand.");
        }
        setTimeout(() => { button.textContent = "Copy"; }, 3000);
      });
    }
    for (const link of all("a.link")) {
      link.addEventListener("click", async () => {
        const url = new URL(link.getAttribute("href"), location.href);
        for (const name of names) url.searchParams.delete(name);
        if (await copied(url.href)) say("The link is copied.");
      });
    }

    const list = byId("list");
    if (!list) return;

    // The filter: what is chosen stands in the URL's query, so that a view can be linked and a requirement in it too.
    const rows = all(".row", list);
    const requirements = all(".requirement", list);
    const sections = all(".section", list);
    const wordOf = (row, name) => name === "section" ? row.closest(".section").querySelector("h3").textContent : row.dataset[name];
    for (const name of chosen) {
      const words = new Map(rows.map((row) => [row.dataset[name], wordOf(row, name).replace("not-run", "not run")]));
      for (const value of [...words.keys()].sort()) control[name].append(new Option(words.get(value), value));
    }
    const texts = new Map();
    const textOf = (row) => {
      if (!texts.has(row)) {
        const stated = row.closest(".requirement")?.querySelector(".stated");
        texts.set(row, ((stated?.textContent || "") + " " + row.textContent).toLowerCase());
      }
      return texts.get(row);
    };
    const apply = () => {
      const words = control.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const wanted = chosen.every((name) => !control[name].value || row.dataset[name] === control[name].value) &&
          words.every((word) => textOf(row).includes(word));
        row.hidden = !wanted;
        if (wanted) shown++;
      }
      for (const requirement of requirements) requirement.hidden = all(".row", requirement).every((row) => row.hidden);
      for (const section of sections) section.hidden = all(".requirement", section).every((requirement) => requirement.hidden);
      byId("nothing").hidden = shown > 0;
      byId("count").textContent = shown + " of " + rows.length;
    };
    const keep = () => {
      const url = new URL(location.href);
      for (const name of names) url.searchParams.delete(name);
      for (const name of names) {
        if (control[name].value) url.searchParams.set(name, control[name].value);
      }
      try { history.replaceState(null, "", url); } catch { /* some viewers forbid it: the filter works all the same */ }
    };
    const choose = (params) => {
      for (const name of names) {
        control[name].value = params.get(name) || "";
        if (control[name].value !== (params.get(name) || "")) control[name].value = ""; // no such choice
      }
      apply();
      keep();
    };
    let waiting = 0;
    control.text.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { apply(); keep(); }, 120);
    });
    for (const name of chosen) {
      control[name].addEventListener("change", () => { apply(); keep(); });
    }
    for (const button of all("button.reset")) {
      button.addEventListener("click", () => {
        choose(new URLSearchParams());
        control.text.focus();
      });
    }
    for (const link of all(".matrix a.chip")) {
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        choose(new URL(link.href).searchParams);
        byId("requirements").focus();
        byId("requirements").scrollIntoView();
      });
    }

    const entries = all("details.entry", list);
    const fold = byId("fold");
    const allFolded = () => entries.every((entry) => !entry.open);
    const offer = () => { fold.textContent = allFolded() ? "Unfold all" : "Fold all"; };
    fold.hidden = entries.length === 0;
    offer();
    fold.addEventListener("click", () => {
      const open = allFolded();
      for (const entry of entries) entry.open = open;
      offer();
    });

    // A link to a row shows it, whatever the filter hides and whatever is folded.
    const reveal = () => {
      let id = location.hash.slice(1);
      try { id = byId(id) ? id : decodeURIComponent(id); } catch { return; }
      const target = id && byId(id);
      if (!target) return;
      if (list.contains(target) && target.closest("[hidden]")) {
        choose(new URLSearchParams());
        say("The filter was reset to show " + id + ".");
      }
      for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
      target.scrollIntoView();
      (target.querySelector(":scope > summary") || target).focus({ preventScroll: true });
    };
    addEventListener("hashchange", reveal);

    // Paper has no filter: it shows all rows, and none folded.
    let folded = [];
    addEventListener("beforeprint", () => {
      for (const element of [...rows, ...requirements, ...sections]) element.hidden = false;
      folded = all("details.entry, details.paper").filter((entry) => !entry.open);
      for (const entry of folded) entry.open = true;
    });
    addEventListener("afterprint", () => {
      for (const entry of folded) entry.open = false;
      apply();
    });

    choose(new URLSearchParams(location.search));
    reveal();
    // The browser goes to the fragment by itself once all is loaded, and takes the focus away.
    addEventListener("load", () => setTimeout(reveal));
  };
  document.addEventListener("DOMContentLoaded", start);
})();
