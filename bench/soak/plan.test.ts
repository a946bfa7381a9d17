import { describe, expect, it } from 'vitest'
import { DAMAGES, plan, type Timed } from './plan.ts'

const options = { seed: 7, durationMs: 3_600_000, adds: 10_000 }
const steps = plan(options)
const only = <K extends Timed['do']>(kind: K) =>
  steps.filter((step): step is Extract<Timed, { do: K }> => step.do === kind)

describe('The plan of a soak', () => {
  it('is equal for the same seed, and different for another seed', () => {
    expect(JSON.stringify(plan(options))).toBe(JSON.stringify(steps))
    expect(JSON.stringify(plan({ ...options, seed: 8 }))).not.toBe(JSON.stringify(steps))
  })

  it('adds, checks and deletes the requested number of pods, except for those that stay', () => {
    expect(only('add')).toHaveLength(10_000)
    expect(only('check')).toHaveLength(10_000)
    expect(only('del')).toHaveLength(10_000 - 36)
  })

  it('uses only existing pods', () => {
    const live = new Set<number>()
    const lost: Timed[] = []
    for (const step of steps) {
      if (step.do === 'add') live.add(step.pod)
      if ((step.do === 'check' || step.do === 'label' || step.do === 'del') && !live.has(step.pod)) lost.push(step)
      if (step.do === 'del') live.delete(step.pod)
    }
    expect(lost).toEqual([])
    expect(live.size).toBe(36)
  })

  it('keeps the mix of kinds, with at most one pod out of place', () => {
    const kinds = new Map(only('add').map(({ pod, kind }) => [pod, kind]))
    const live = new Map<number, boolean>()
    const crowds = new Set<string>()
    let most = 0
    for (const [index, step] of steps.entries()) {
      if (step.do === 'add') live.set(step.pod, step.kind === 'ambient')
      if (step.do === 'label') live.set(step.pod, step.mesh)
      if (step.do === 'del') live.delete(step.pod)
      if (live.size < 36 || steps[index + 1]?.do === 'add') continue
      const count = (kind: string): number => [...live.keys()].filter((pod) => kinds.get(pod) === kind).length
      crowds.add(['ambient', 'sidecar', 'outside', 'raced'].map(count).join(' '))
      const elsewhere = [...live].filter(([pod, mesh]) => mesh !== (kinds.get(pod) === 'ambient'))
      most = Math.max(most, elsewhere.length)
    }
    expect([...crowds]).toEqual(['20 8 6 2'])
    expect(most).toBe(1)
  })

  it('restarts both servers and causes each damage, also within two minutes', () => {
    for (const all of [steps, plan({ seed: 1, durationMs: 120_000, adds: 333 })]) {
      const parts = new Set(all.flatMap((step) => (step.do === 'restart' ? [step.part] : [])))
      expect(parts).toEqual(new Set(['API server', 'ztunnel']))
      const damages = new Set(all.flatMap((step) => (step.do === 'damage' ? [step.what] : [])))
      expect(damages).toEqual(new Set(DAMAGES))
    }
  })
})
