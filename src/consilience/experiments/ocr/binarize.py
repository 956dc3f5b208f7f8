"""Black and white out of grey: the three binarizations of the papers, by ``doxapy``.

Otsu takes one threshold for the whole page, the one that parts the grey levels best. Sauvola and
Wolf take a threshold for every pixel from the mean and the deviation of a window around it; Wolf
stretches the contrast first, so that faded pages keep their letters. How far the threshold goes
below the mean is a constant, k, which the papers do not tell. Here Sauvola has k = 0.2, the value
of ``doxapy`` and scikit-image, and Wolf k = 0.5, its authors' [3]_; the window is ``doxapy``'s, 75
pixels. Seven settings had been tried on six pages, and these are each method's better one: the
choice was made by results. Each with the other's constant is kept beside them (`BESIDE`), because
it matters.

References
----------
.. [1] N. Otsu, "A threshold selection method from gray-level histograms", IEEE Transactions on
   Systems, Man and Cybernetics 9(1), 1979.
.. [2] J. Sauvola and M. Pietikäinen, "Adaptive document image binarization", Pattern Recognition
   33(2), 2000.
.. [3] C. Wolf, J.-M. Jolion and F. Chassaing, "Text localization, enhancement and binarization in
   multimedia documents", ICPR 2002.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.errors import unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Pixels on a side of the window.
WINDOW = 75
#: Name → what doxapy calls it, and k.
BINARIZATIONS = {"otsu": ("OTSU", None), "sauvola": ("SAUVOLA", 0.2), "wolf": ("WOLF", 0.5)}
#: The same with the other's constant.
BESIDE = {"sauvola (k = 0.5)": ("SAUVOLA", 0.5), "wolf (k = 0.2)": ("WOLF", 0.2)}


def binarized(page: NDArray[np.uint8], method: str) -> NDArray[np.bool_]:
    """Tell paper from ink: True where a pixel is ink.

    Parameters
    ----------
    page
        Grey levels, 0 for black.
    method
        One of `BINARIZATIONS` or `BESIDE`.
    """
    import doxapy
    import numpy as np

    known = BINARIZATIONS | BESIDE
    if method not in known:
        raise unknown("binarization", method, list(known))
    name, k = known[method]
    work = doxapy.Binarization(getattr(doxapy.Binarization.Algorithms, name))
    work.initialize(np.ascontiguousarray(page))
    made = np.empty_like(page)
    work.to_binary(made, {} if k is None else {"window": WINDOW, "k": k})
    return np.asarray(made == 0)
