// Scores of search results. Sphinx gives a page the score of its best word. This function adds points for each word
// that stands in a heading or in the hidden words of the page, and more points for words of the page's title. It prefers
// pages of the guide to generated pages, and pages for users to pages for contributors.
var Scorer = {
  score: (result) => {
    const [docname, title, anchor, descr, score, filename, kind] = result;
    let points = score;
    if (kind === "text") {
      const query = new URLSearchParams(window.location.search).get("q") || "";
      const index = Search._index;
      const page = index.docnames.indexOf(docname);
      const stemmer = new Stemmer();
      const stems = (text) => splitQuery(text.toLowerCase().trim()).map((word) => stemmer.stemWord(word));
      const ofTitle = new Set(stems(index.titles[page]));
      for (const word of stems(query)) {
        const found = index.titleterms[word];
        if (found === page || (Array.isArray(found) && found.includes(page))) points += 6;
        if (ofTitle.has(word)) points += 4;
      }
    }
    if (docname === "glossary" && kind === "index") points -= 60;
    if (docname.startsWith("api/generated/") && kind !== "object") points -= 3;
    if (docname.startsWith("notebooks/")) points -= 1;
    if (/^(changelog|claims|genindex|py-modindex|formulas|releasing|parameter_words)$/.test(docname)) points -= 8;
    return points;
  },
  objNameMatch: 40,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
