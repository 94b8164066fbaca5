chainc fmt loose --check
chainc fmt loose --diff
chainc fmt loose/first.chain loose/good.chain --check --diff
chainc fmt loose/first.chain loose
chainc fmt loose --fix
chainc fmt loose
chainc -C loose fmt below/foreign.chain --check
chainc fmt loose/good.chain --check
chainc fmt loose/.hidden
chainc fmt notes warned mistakes --check
chainc fmt warned --fix --diff
chainc fmt nowhere
chainc fmt notes/lock
chainc fmt - loose
chainc fmt --chek
