-- Show the authors and affiliations of the front matter, in the form of the journal, below the title of a draft.
function Meta(meta)
  local names = pandoc.List()
  for _, person in ipairs(meta.authors) do
    names:insert(person.name)
  end
  local places = pandoc.List()
  for _, place in ipairs(meta.affiliations) do
    places:insert(place.name)
  end
  meta.author = pandoc.MetaList(names .. places)
  return meta
end
