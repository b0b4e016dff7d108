-- The spec of the application: that of a SparkApplication, or the template of a
-- ScheduledSparkApplication; nil where there is none.
local function specOf(obj)
  return kube.get(obj, obj.kind == "ScheduledSparkApplication" and "spec.template" or "spec")
end

return specOf
