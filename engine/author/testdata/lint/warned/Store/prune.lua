-- lint:disable-file unused, missing-test-for-op
function PruneTemplate(template)
  local a, b = 1
  return template
end

function helper()
  return 1
end
