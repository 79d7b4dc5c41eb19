/** The formulas of the selection phase, set as mathematics. */

const i = (name: string): string => `<mi>${name}</mi>`;
const o = (sign: string): string => `<mo>${sign}</mo>`;
const n = (number: string | number): string => `<mn>${number}</mn>`;
const row = (...parts: string[]): string => `<mrow>${parts.join("")}</mrow>`;
const sub = (a: string, b: string): string => `<msub>${a}${b}</msub>`;
const frac = (a: string, b: string): string => `<mfrac>${a}${b}</mfrac>`;
const root = (a: string): string => `<msqrt>${a}</msqrt>`;
const power = (a: string, b: string): string => `<msup>${a}${b}</msup>`;
const of = (name: string, ...args: string[]): string =>
  row(i(name), o("("), args.map(i).join(o(",")), o(")"));

const Q = of("Q", "s", "a");
const P = of("P", "s", "a");
const N = of("N", "s", "a");
const NS = of("N", "s");
const C = sub(i("c"), i("puct"));
const Ñ = `<mover>${i("N")}<mo>~</mo></mover>`;
const onePlus = row(n(1), o("+"), N);
const U = (c: string, numerator: string): string => row(c, P, frac(numerator, onePlus));
const grown = (rate: string, base: string): string =>
  row(C, o("+"), rate, i("ln"), frac(row(NS, o("+"), base), base));

export const FORMULAS = {
  puct: row(Q, o("+"), U(C, root(NS))),
  growing: row(Q, o("+"), U(row(o("("), grown("", sub(i("c"), i("base"))), o(")")), root(NS))),
  katago: row(
    Q,
    o("+"),
    U(row(o("("), grown(sub(i("c"), i("log")), sub(i("c"), i("base"))), o(")")), root(NS)),
  ),
  polynomial: row(Q, o("+"), U(i("c"), power(NS, i("α")))),
  uctlike: row(
    Q,
    o("+"),
    i("c"),
    P,
    root(frac(row(i("ln"), o("("), n(1), o("+"), NS, o("+"), sub(i("c"), i("base")), o(")")), onePlus)),
  ),
  ucb1: row(Q, o("+"), i("c"), root(frac(row(i("ln"), NS), N))),
  rave: row(
    o("("),
    n(1),
    o("−"),
    i("β"),
    o(")"),
    Q,
    o("+"),
    i("β"),
    sub(i("Q"), i("AMAF")),
    o("+"),
    i("c"),
    root(frac(row(i("ln"), NS), N)),
  ),
  equivalence: row(i("β"), o("="), root(frac(i("k"), row(n(3), NS, o("+"), i("k"))))),
  minimum_mse: row(
    i("β"),
    o("="),
    frac(Ñ, row(N, o("+"), Ñ, o("+"), i("bias"), o("·"), N, o("·"), Ñ)),
  ),
  gumbel: row(i("g"), o("("), i("a"), o(")"), o("+"), i("ln"), P, o("+"), i("σ"), o("("), i("q"), o(")")),
  sigma: row(
    i("σ"),
    o("("),
    i("q"),
    o(")"),
    o("="),
    o("("),
    sub(i("c"), i("visit")),
    o("+"),
    `<munder><mo>max</mo>${i("b")}</munder>`,
    of("N", "b"),
    o(")"),
    sub(i("c"), i("scale")),
    frac(row(i("q"), o("+"), n(1)), n(2)),
  ),
  backup: row(N, o("←"), N, o("+"), n(1), o(",&#8195;"), of("W", "s", "a"), o("←"), of("W", "s", "a"), o("+"), i("v")),
  q: row(Q, o("="), frac(of("W", "s", "a"), N)),
  regret: row(
    sub(i("R"), i("n")),
    o("="),
    i("n"),
    power(i("μ"), o("*")),
    o("−"),
    `<munderover><mo>∑</mo>${row(i("t"), o("="), n(1))}${i("n")}</munderover>`,
    sub(i("μ"), sub(i("a"), i("t"))),
  ),
  decision: row(i("π"), o("("), i("a"), o(")"), o("∝"), power(N, row(n(1), o("/"), i("τ")))),
} as const;

export type FormulaName = keyof typeof FORMULAS;

export function Formula({ name }: { name: FormulaName }) {
  return (
    <div class="formula" dir="ltr">
      <math
        display="block"
        dangerouslySetInnerHTML={{ __html: FORMULAS[name] }}
      />
    </div>
  );
}
