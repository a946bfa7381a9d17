/** Labels of a Kubernetes object, by key. */
export type Labels = Readonly<Record<string, string>>

/** Kubernetes label selector. A selector without conditions matches every object. */
export interface LabelSelector {
  readonly matchLabels?: Labels | null | undefined
  readonly matchExpressions?:
    | readonly {
        readonly key: string
        readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
        readonly values?: readonly string[] | null | undefined
      }[]
    | null
    | undefined
}

/**
 * True if labels satisfy all conditions of a selector. `NotIn` is also satisfied if the key is absent.
 *
 * @example
 * selects({ matchExpressions: [{ key: 'mode', operator: 'NotIn', values: ['none'] }] }, {}) // true
 */
export function selects({ matchLabels, matchExpressions }: LabelSelector, labels: Labels): boolean {
  const value = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined)
  return (
    Object.entries(matchLabels ?? {}).every(([key, wanted]) => value(key) === wanted) &&
    (matchExpressions ?? []).every((requirement) => satisfies(value(requirement.key), requirement))
  )
}

function satisfies(value: string | undefined, { operator, values }: LabelRequirement): boolean {
  const listed = value !== undefined && (values ?? []).includes(value)
  switch (operator) {
    case 'In':
      return listed
    case 'NotIn':
      return !listed
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
  }
}

/** Condition of a {@link LabelSelector} in `matchExpressions`. */
type LabelRequirement = NonNullable<LabelSelector['matchExpressions']>[number]

/** Returns the reason for which Kubernetes refuses a label selector. `undefined` if the selector is valid. */
export function selectorProblem({ matchLabels, matchExpressions }: LabelSelector): string | undefined {
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    const problem = keyProblem(key) ?? valueProblem(value)
    if (problem !== undefined) return problem
  }
  for (const { key, operator, values } of matchExpressions ?? []) {
    const given = values ?? []
    const needsValues = operator === 'In' || operator === 'NotIn'
    if (needsValues && given.length === 0) return `operator ${operator} of key "${key}" needs at least one value`
    if (!needsValues && given.length > 0) return `operator ${operator} of key "${key}" takes no values`
    const problem = keyProblem(key) ?? given.map(valueProblem).find((each) => each !== undefined)
    if (problem !== undefined) return problem
  }
  return undefined
}

function keyProblem(key: string): string | undefined {
  const [name = '', prefix, ...more] = key.split('/').reverse()
  const prefixFits = prefix === undefined || (prefix.length <= 253 && subdomain.test(prefix))
  if (more.length === 0 && prefixFits && name.length <= 63 && word.test(name)) return undefined
  return `${JSON.stringify(key)} cannot be the key of a label`
}

const valueProblem = (value: string): string | undefined =>
  value === '' || (value.length <= 63 && word.test(value))
    ? undefined
    : `${JSON.stringify(value)} cannot be the value of a label`

const word = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?$/
const subdomain = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/
