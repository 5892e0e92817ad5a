//! Temperature, phase and stored latent heat of matter that takes up heat: equation (54), errata
//! E26.
//!
//! Specific enthalpy above the solid at its melting point, with the share u of the latent heat that
//! is stored: h = u L + c (T − T_m), c that of the phase. Temperature and share are functions of h
//! alone: T = T_m while 0 < h < L. The phase changes where the buffer is full or empty only, so
//! that matter on its way keeps the one it comes from.

use super::thermal::{Phase, Thermal};

/// Thermal state of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ThermalState {
    /// T − T_ref \[K\].
    pub temperature: f64,
    /// Share of the latent heat that is stored \[–\].
    pub share: f64,
    /// Phase.
    pub phase: Phase,
}

impl Thermal {
    /// State of matter that enters at a temperature; melting point and temperature are relative to
    /// the same reference \[K\].
    pub(crate) fn state_at(&self, temperature: f64, melting_point: f64) -> ThermalState {
        let is_liquid = self.melting.is_some() && temperature > melting_point;
        ThermalState {
            temperature,
            share: f64::from(u8::from(is_liquid)),
            phase: match is_liquid {
                true => Phase::Liquid,
                false => Phase::Solid,
            },
        }
    }
    /// Specific enthalpy above the solid at its melting point, or at the reference temperature of
    /// matter that does not melt \[J/kg\].
    #[inline]
    pub(crate) fn enthalpy(&self, state: ThermalState, melting_point: f64) -> f64 {
        let c = self.of(state.phase).capacity;
        match &self.melting {
            None => c * state.temperature,
            Some(melting) => {
                state.share * melting.latent_heat + c * (state.temperature - melting_point)
            }
        }
    }
    /// The state after `heat` \[J/kg\] was taken up.
    #[inline]
    pub(crate) fn heated(
        &self,
        state: ThermalState,
        melting_point: f64,
        heat: f64,
    ) -> ThermalState {
        let Some(melting) = &self.melting else {
            let temperature = state.temperature + heat / self.solid.capacity;
            return ThermalState {
                temperature,
                ..state
            };
        };
        let latent = melting.latent_heat;
        let h = self.enthalpy(state, melting_point) + heat;
        let phase = match state.phase {
            Phase::Solid if h < latent || h <= 0.0 => Phase::Solid,
            Phase::Liquid if h <= 0.0 => Phase::Solid,
            _ => Phase::Liquid,
        };
        let share = match h {
            h if h <= 0.0 => 0.0,
            h if h >= latent => 1.0,
            h => h / latent,
        };
        let rest = h - share * latent;
        // Rounding of the share is not to become a temperature.
        let excess = match share {
            share if share > 0.0 && share < 1.0 => 0.0,
            _ => rest / self.of(phase).capacity,
        };
        ThermalState {
            temperature: melting_point + excess,
            share,
            phase,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::thermal::{Melting, PhaseProperties};
    use super::*;

    fn ice() -> Thermal {
        Thermal {
            solid: PhaseProperties {
                capacity: 2.0,
                conductivity: 1.0,
            },
            melting: Some(Melting {
                point: 10.0,
                latent_heat: 50.0,
                liquid: PhaseProperties {
                    capacity: 4.0,
                    conductivity: 1.0,
                },
                mechanics: None,
            }),
        }
    }

    #[test]
    fn heat_warms_melts_and_warms_again() {
        let ice = ice();
        let cold = ice.state_at(-3.0, 1.0);
        assert_eq!(cold.phase, Phase::Solid);
        // 8 J to the melting point, 50 J to melt, 12 J for 3 K more.
        let warm = ice.heated(cold, 1.0, 7.0);
        assert_eq!((warm.temperature, warm.share), (0.5, 0.0));
        let mush = ice.heated(warm, 1.0, 11.0);
        assert_eq!((mush.temperature, mush.share), (1.0, 0.2));
        assert_eq!(mush.phase, Phase::Solid);
        let water = ice.heated(mush, 1.0, 52.0);
        assert_eq!(
            (water.temperature, water.share, water.phase),
            (4.0, 1.0, Phase::Liquid)
        );
        // Back the same way, all at once.
        let back = ice.heated(water, 1.0, -70.0);
        assert_eq!(back, cold);
    }

    #[test]
    fn the_phase_changes_at_the_ends_of_the_buffer_only() {
        let ice = ice();
        let mush = ice.heated(ice.state_at(1.0, 1.0), 1.0, 49.0);
        assert_eq!(mush.phase, Phase::Solid);
        let water = ice.heated(mush, 1.0, 1.0);
        assert_eq!((water.phase, water.share), (Phase::Liquid, 1.0));
        let slush = ice.heated(water, 1.0, -49.0);
        assert_eq!(slush.phase, Phase::Liquid);
        assert!((slush.share - 0.02).abs() < 1e-15);
        assert_eq!(ice.heated(slush, 1.0, -1.5).phase, Phase::Solid);
    }

    #[test]
    fn heat_is_neither_made_nor_lost() {
        let ice = ice();
        let mut state = ice.state_at(-5.0, 1.0);
        let mut seed = 7u64;
        for _ in 0..10_000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            let heat = ((seed >> 33) as f64 / f64::from(1u32 << 31) - 0.5) * 80.0;
            let before = ice.enthalpy(state, 1.0);
            state = ice.heated(state, 1.0, heat);
            assert!((ice.enthalpy(state, 1.0) - before - heat).abs() < 1e-10);
            assert!((0.0..=1.0).contains(&state.share));
            if state.share > 0.0 && state.share < 1.0 {
                assert_eq!(state.temperature, 1.0);
            }
        }
    }
}
