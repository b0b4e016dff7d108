function PruneTemplat(template)
-- line wrong-entry-name
  return template
end
