//! The steps of the encoder that depend on the processor, and which of their implementations to use.

mod portable;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod input;
#[cfg(target_arch = "x86_64")]
mod vnni;

use crate::linear::Linear;
use crate::math::Norm;

/// An implementation of the arithmetic. All compute the same function; they differ in speed and in the last digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kernel {
    /// The fastest this processor can run.
    #[default]
    Detect,
    /// 32-bit floats, on any processor.
    Portable,
    /// 8-bit integers with AVX2 and FMA.
    Avx2,
    /// 8-bit integers with AVX-512 VNNI.
    Avx512Vnni,
}

impl Kernel {
    /// Every implementation this processor can run, fastest first.
    pub fn available() -> Vec<Self> {
        [Self::Avx512Vnni, Self::Avx2, Self::Portable]
            .into_iter()
            .filter(|kernel| kernel.operations().is_some())
            .collect()
    }

    /// `Detect` made definite; the others as they are.
    pub(crate) fn resolved(self) -> Self {
        match self {
            Self::Detect => Self::available()[0], // never empty: Portable runs everywhere
            definite => definite,
        }
    }

    /// `None` if this processor cannot run it. This is the only way to get hold of [`Operations`], and so the place where every call of
    /// a `#[target_feature]` function is justified.
    pub(crate) fn operations(self) -> Option<&'static Operations> {
        match self {
            Self::Detect => self.resolved().operations(),
            Self::Portable => Some(&portable::OPERATIONS),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => avx2::detected().then_some(&avx2::OPERATIONS),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Vnni => vnni::detected().then_some(&vnni::OPERATIONS),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512Vnni => None,
        }
    }
}

/// One implementation, as a table of functions.
pub(crate) struct Operations {
    /// `out = x W^T + b`; `x` is rows of `inputs`, `out` rows of `outputs`.
    pub linear: fn(layer: &Linear, x: &[f32], out: &mut [f32]),
    /// See [`crate::math::gelu`].
    pub gelu: fn(values: &mut [f32]),
    /// See [`crate::math::add_and_normalise`].
    pub add_and_normalise: fn(x: &mut [f32], y: &[f32], norm: &Norm),
    /// See [`crate::math::softmax`].
    pub softmax: fn(values: &mut [f32], width: usize, stride: usize),
}
