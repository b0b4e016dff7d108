-- The Secrets with tokens that the token controller of one cluster made for an account, as it did
-- before Kubernetes 1.24.
local M = {}

-- Whether a reference of an account is to one of its tokens.
function M.is(account, reference)
  local prefix = kube.get(account, "metadata.name", "") .. "-token-"
  return string.sub(reference.name or "", 1, #prefix) == prefix
end

return M
