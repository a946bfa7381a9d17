/** Difference, and the function that corrects it. */
export interface Step {
  /** Description, such as `missing route table 101 0.0.0.0/0 via …`. */
  readonly what: string
  run(): Promise<unknown>
}

/** Corrects all differences, one by one. Resolves to their descriptions. */
export async function runSteps(steps: readonly Step[]): Promise<string[]> {
  for (const step of steps) await step.run()
  return steps.map(({ what }) => what)
}
