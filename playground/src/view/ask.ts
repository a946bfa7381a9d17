import { type Answer, answer, type Question } from '../model/answer.ts'

/** Milliseconds until the page shows that a question is slow. */
const LATE_MS = 2000

/** Milliseconds until a question is cancelled. */
const LIMIT_MS = 20_000

interface Asked {
  readonly id: number
  readonly question: Question
  readonly settle: (answer: Answer | 'late' | undefined) => void
  readonly isLate: () => void
  timers: readonly ReturnType<typeof setTimeout>[]
}

/** Asks a worker one question at a time. A slow question is cancelled, so the page stays usable. */
export class Asker {
  readonly #script: string
  #worker: Worker | undefined
  #id = 0
  #asked: Asked | undefined
  /** The newest question. It replaces older questions that have not started. */
  #next: Asked | undefined

  /** @param script - text of the page's own script */
  constructor(script: string) {
    this.#script = script
  }

  /**
   * Asks a question. Returns `'late'` if it was cancelled, and `undefined` if a newer question replaced it.
   *
   * @param isLate - called once if the answer is slow
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

  /** Starts the timers of a question. Their time does not include the start of the worker. */
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

  /** Starts a worker from the script's text: a page of `file://` cannot load a worker from an address. */
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
      // The browser forbids workers here: the page computes the answer itself.
      return undefined
    }
  }
}
