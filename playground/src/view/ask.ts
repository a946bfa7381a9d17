import { type Answer, answer, type Question } from '../model/answer.ts'

/** Time after which the page says that a question takes long. */
const LATE_MS = 2000

/** Time after which a question is given up. */
const LIMIT_MS = 20_000

interface Asked {
  readonly id: number
  readonly question: Question
  readonly settle: (answer: Answer | 'late' | undefined) => void
  readonly isLate: () => void
  timers: readonly ReturnType<typeof setTimeout>[]
}

/** Asks questions in a worker, one at a time; one that takes too long is given up, and the page stays usable. */
export class Asker {
  readonly #script: string
  #worker: Worker | undefined
  #id = 0
  #asked: Asked | undefined
  /** The newest question: those between it and the one under way are of no interest any more. */
  #next: Asked | undefined

  /** @param script - the text of the page's own script */
  constructor(script: string) {
    this.#script = script
  }

  /**
   * The answer; `'late'` when it was given up; `undefined` when a newer question took its place.
   *
   * @param isLate - called once when the answer takes long
   */
  ask(question: Question, isLate: () => void): Promise<Answer | 'late' | undefined> {
    this.#worker ??= this.#start()
    if (this.#worker === undefined) return answer(question)
    this.#id += 1
    const id = this.#id
    return new Promise((settle) => {
      this.#next?.settle(undefined)
      this.#next = { id, question, settle, isLate, timers: [] }
      if (this.#asked === undefined) this.#send()
    })
  }

  #send(): void {
    const asked = this.#next
    if (asked === undefined) return
    this.#asked = asked
    this.#next = undefined
    this.#worker ??= this.#start()
    this.#worker?.postMessage({ id: asked.id, question: asked.question })
  }

  /** The time counts from the start of the work, not from that of the worker. */
  #begin(asked: Asked): void {
    const late = () => (this.#next === undefined ? asked.isLate() : this.#giveUp(asked))
    asked.timers = [setTimeout(late, LATE_MS), setTimeout(() => this.#giveUp(asked), LIMIT_MS)]
  }

  #giveUp(asked: Asked): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#end(asked, 'late')
  }

  #end(asked: Asked, found: Answer | 'late'): void {
    for (const timer of asked.timers) clearTimeout(timer)
    this.#asked = undefined
    asked.settle(this.#next === undefined ? found : undefined)
    this.#send()
  }

  /** A worker from the text of the page's script: a page of `file://` has no other address for one. */
  #start(): Worker | undefined {
    try {
      const address = URL.createObjectURL(new Blob([this.#script], { type: 'text/javascript' }))
      const worker = new Worker(address)
      worker.addEventListener('message', ({ data: { id, answer: found } }) => {
        const asked = this.#asked
        if (asked === undefined || asked.id !== id) return
        if (found === undefined) this.#begin(asked)
        else this.#end(asked, found)
      })
      return worker
    } catch {
      // A browser that allows none here: the page answers itself.
      return undefined
    }
  }
}
