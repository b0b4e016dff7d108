-- The job controller of the member chooses the labels that tie pods to a Job.
local owned = { { "spec", "selector", "matchLabels" }, { "spec", "template", "metadata", "labels" } }

function Retain(desired, observed)
  for _, path in ipairs(owned) do
    local patch = kube.get(observed, path)
    if patch then
      local at = desired
      for i = 1, #path - 1 do
        at[path[i]] = at[path[i]] or {}
        at = at[path[i]]
      end
      at[path[#path]] = patch
    end
  end
  return desired
end
