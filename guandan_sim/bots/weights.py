"""placeholder"""
import numpy as np
from .terms import WEIGHTS_SIZE
WEIGHTS = np.zeros(WEIGHTS_SIZE, np.int64)
