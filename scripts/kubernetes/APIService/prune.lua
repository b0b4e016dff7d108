local ca = require("lib.ca")

function PruneTemplate(template)
  if template.spec and ca.isInjected(template) then
    template.spec.caBundle = nil
  end
  return template
end
