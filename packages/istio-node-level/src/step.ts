/** Something that is not as it should be, and what puts it right. */
export interface Step {
  /** In words: `missing route table 101 0.0.0.0/0 via …`. */
  readonly what: string
  run(): Promise<unknown>
}

/** Puts all of it right, in its order; returns what it was. */
export async function runSteps(steps: readonly Step[]): Promise<string[]> {
  for (const step of steps) await step.run()
  return steps.map(({ what }) => what)
}
