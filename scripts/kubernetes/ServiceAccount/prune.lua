-- The Secrets with tokens that the token controller of one cluster made, as it did before
-- Kubernetes 1.24.
function PruneTemplate(template)
  local prefix, kept = kube.get(template, "metadata.name", "") .. "-token-", kube.list()
  for _, reference in ipairs(template.secrets or {}) do
    if string.sub(reference.name or "", 1, #prefix) ~= prefix then
      table.insert(kept, reference)
    end
  end
  template.secrets = kube.orNil(kept)
  return template
end
