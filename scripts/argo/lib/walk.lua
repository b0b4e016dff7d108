-- Calls onTemplate with each template of a WorkflowSpec, those that stand inline in a
-- step or task too, and onStep with each step and task.
return function(spec, onTemplate, onStep)
  local function visit(template)
    onTemplate(template)
    for _, group in ipairs(kube.concat(template.steps, { kube.get(template, "dag.tasks") })) do
      for _, step in ipairs(group) do
        onStep(step)
        if step.inline then
          visit(step.inline)
        end
      end
    end
  end
  for _, template in ipairs(spec.templates or {}) do
    visit(template)
  end
end
