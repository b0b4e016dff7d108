local tokens = require("lib.tokens")

-- Tokens are those of one cluster.
function PruneTemplate(template)
  local kept = kube.list()
  for _, reference in ipairs(template.secrets or {}) do
    if not tokens.is(template, reference) then
      table.insert(kept, reference)
    end
  end
  template.secrets = kube.orNil(kept)
  return template
end
