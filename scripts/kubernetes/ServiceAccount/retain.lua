-- What the member added to the account is kept: its tokens, and pull secrets.
local lists = { "imagePullSecrets", "secrets" }

-- The references with those of other that have another name.
local function extended(references, other)
  local known = { [""] = true }
  for _, reference in ipairs(references) do
    known[reference.name or ""] = true
  end
  for _, reference in ipairs(other) do
    if not known[reference.name or ""] then
      table.insert(references, reference)
    end
  end
  return references
end

-- A list that is empty on both sides stays as the template has it.
function Retain(desired, observed)
  for _, field in ipairs(lists) do
    local all = extended(desired[field] or kube.list(), kube.get(observed, field, {}))
    desired[field] = next(all) and all or desired[field]
  end
  return desired
end
