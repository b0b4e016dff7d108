-- The CA bundles by which API servers trust webhooks and other API servers. An injector in
-- the member writes them, as that of cert-manager does (pkg/controller/cainjector,
-- injectables.go), or the operator that serves the webhook.

local ca = {}

local injectors = {
  "cert-manager.io/inject-apiserver-ca",
  "cert-manager.io/inject-ca-from",
  "cert-manager.io/inject-ca-from-secret",
  "service.beta.openshift.io/inject-cabundle",
}

-- Reports whether an annotation asks an injector for the bundles.
function ca.isInjected(obj)
  for _, annotation in ipairs(injectors) do
    if kube.get(obj, { "metadata", "annotations", annotation }) then
      return true
    end
  end
  return false
end

-- Keeps the bundle of the member, unless the template has one that nothing overwrites.
local function keep(config, there, injected)
  if there.caBundle and (injected or not config.caBundle) then
    config.caBundle = there.caBundle
  end
end

-- Of an object that has the bundle in the map at a path.
function ca.retainAt(desired, observed, path)
  local config = kube.get(desired, path)
  if config then
    keep(config, kube.get(observed, path, {}), ca.isInjected(desired))
  end
  return desired
end

-- Of a webhook configuration: a bundle for each webhook, by its name.
function ca.retain(desired, observed)
  local there = {}
  for _, webhook in ipairs(observed.webhooks or {}) do
    there[webhook.name or ""] = webhook.clientConfig
  end
  for _, webhook in ipairs(desired.webhooks or {}) do
    if webhook.clientConfig then
      keep(webhook.clientConfig, there[webhook.name or ""] or {}, ca.isInjected(desired))
    end
  end
  return desired
end

-- The injector of the control plane wrote a bundle into the template that no member trusts.
function ca.prune(template)
  for _, webhook in ipairs(ca.isInjected(template) and template.webhooks or {}) do
    if webhook.clientConfig then
      webhook.clientConfig.caBundle = nil
    end
  end
  return template
end

return ca
