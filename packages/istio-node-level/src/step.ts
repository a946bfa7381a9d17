/** One difference between the kernel and a plan. The method `run` corrects the difference. */
export interface Step {
  /** Description of the difference, such as `missing route table 101 0.0.0.0/0 via …`. */
  readonly what: string
  run(): Promise<unknown>
}

/** Corrects the differences of all steps, one by one. Resolves to the descriptions of the differences. */
export async function runSteps(steps: readonly Step[]): Promise<string[]> {
  for (const step of steps) await step.run()
  return steps.map(({ what }) => what)
}
