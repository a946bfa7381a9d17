import { type Answer, answer, type Question } from '../model/answer.ts'

/** Time after which the page says that a question takes long. */
const LATE_MS = 2000

/** Time after which a question is given up. */
const LIMIT_MS = 20_000

interface Waiting {
  readonly id: number
  readonly settle: (answer: Answer | 'late' | undefined) => void
  readonly isLate: () => void
  timers: readonly ReturnType<typeof setTimeout>[]
}

/** Asks questions in a worker; one that takes too long is given up, and the page stays usable. */
export class Asker {
  readonly #script: string
  #worker: Worker | undefined
  #id = 0
  #waiting: Waiting | undefined

  /** @param script - the text of the page's own script */
  constructor(script: string) {
    this.#script = script
  }

  /**
   * The answer; `'late'` when it was given up; `undefined` when a newer question took its place.
   *
   * @param isLate - called once when the answer takes long
   */
  async ask(question: Question, isLate: () => void): Promise<Answer | 'late' | undefined> {
    // A question that is under way is of no interest any more.
    if (this.#waiting !== undefined) this.#restart()
    this.#worker ??= this.#start()
    const worker = this.#worker
    if (worker === undefined) return answer(question)
    this.#id += 1
    const id = this.#id
    return new Promise((resolve) => {
      this.#waiting = { id, settle: resolve, isLate, timers: [] }
      worker.postMessage({ id, question })
    })
  }

  /** The time counts from the start of the work, not from that of the worker. */
  #begin(waiting: Waiting): void {
    const giveUp = () => {
      this.#waiting = undefined
      this.#restart()
      waiting.settle('late')
    }
    waiting.timers = [setTimeout(waiting.isLate, LATE_MS), setTimeout(giveUp, LIMIT_MS)]
  }

  #end(waiting: Waiting, answer: Answer | undefined): void {
    for (const timer of waiting.timers) clearTimeout(timer)
    this.#waiting = undefined
    waiting.settle(answer)
  }

  #restart(): void {
    this.#worker?.terminate()
    if (this.#waiting !== undefined) this.#end(this.#waiting, undefined)
    this.#worker = this.#start()
  }

  /** A worker from the text of the page's script: a page of `file://` has no other address for one. */
  #start(): Worker | undefined {
    try {
      const address = URL.createObjectURL(new Blob([this.#script], { type: 'text/javascript' }))
      const worker = new Worker(address)
      worker.addEventListener('message', ({ data: { id, answer: found } }) => {
        const waiting = this.#waiting
        if (waiting === undefined || waiting.id !== id) return
        if (found === undefined) this.#begin(waiting)
        else this.#end(waiting, found)
      })
      return worker
    } catch {
      // A browser that allows none here: the page answers itself.
      return undefined
    }
  }
}
