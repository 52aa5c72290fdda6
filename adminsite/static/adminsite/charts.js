// Write the axes and legends of charts in the page's own letters: Chart.js has one grey for light and dark alike.
// A variable of the theme, not the colour of the text around: that fades from one scheme to the other.
const readLetters = () => {
    const root = document.documentElement;
    const name = root.classList.contains("dark") ? "--color-base-300" : "--color-base-600";
    return getComputedStyle(root).getPropertyValue(name).trim();
};

// Computed each time: the theme draws its charts anew when the scheme changes.
Chart.defaults.color = readLetters;
