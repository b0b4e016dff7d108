local ca = require("lib.ca")

function PruneTemplate(template)
  local config = kube.get(template, "spec.conversion.webhook.clientConfig")
  if config and ca.isInjected(template) then
    config.caBundle = nil
  end
  return template
end
