import { answer } from './model/answer.ts'
import { startPage } from './view/page.ts'

// One script is the page and, started again from its own text, the worker that answers.
if (typeof document === 'undefined') {
  globalThis.addEventListener('message', ({ data: { id, question } }) => {
    globalThis.postMessage({ id })
    void answer(question).then((found) => globalThis.postMessage({ id, answer: found }))
  })
} else {
  startPage(document.currentScript?.textContent ?? '')
}
