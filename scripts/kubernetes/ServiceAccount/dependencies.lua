local tokens = require("lib.tokens")

-- The Secrets by which the kubelets pull images for the pods of the account (Kubernetes 1.36,
-- plugin/pkg/admission/serviceaccount), and those that others read for it, as Tekton and KServe do.
-- Tokens are those of one cluster.
function GetDependencies(account)
  local namespace, all = kube.get(account, "metadata.namespace"), kube.list()
  for _, field in ipairs({ "imagePullSecrets", "secrets" }) do
    for _, reference in ipairs(account[field] or {}) do
      if not tokens.is(account, reference) then
        all = kube.concat(all, kube.references("Secret", namespace, reference.name))
      end
    end
  end
  return all
end
