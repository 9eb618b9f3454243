// Scores of search results. Sphinx gives a page the score of its best word; this function adds points for each further
// word that stands in the title or in the hidden words of the page, and prefers pages of the guide to generated pages.
var Scorer = {
  score: (result) => {
    const [docname, title, anchor, descr, score, filename, kind] = result;
    let points = score;
    const query = new URLSearchParams(window.location.search).get("q") || "";
    const index = Search._index;
    const page = index.docnames.indexOf(docname);
    const stemmer = new Stemmer();
    if (kind === "text") {
      for (const word of splitQuery(query.toLowerCase().trim())) {
        const found = index.titleterms[stemmer.stemWord(word)];
        if (found === page || (Array.isArray(found) && found.includes(page))) points += 6;
      }
    }
    if (docname.startsWith("api/generated/")) points -= kind === "object" ? 0 : 3;
    if (docname.startsWith("notebooks/")) points -= 1;
    if (/^(changelog|genindex|py-modindex|formulas|releasing|parameter_words)$/.test(docname)) points -= 8;
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
