"""Animated pictures, read back by a browser."""

import base64

from playwright.sync_api import Browser

from tests.browser.animated_webp import animate
from tests.browser.screenshots import TOUR, capture_webp

DECODE = """async text => {
    const data = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    const decoder = new ImageDecoder({data, type: "image/webp"});
    await decoder.tracks.ready;
    await decoder.completed;
    const track = decoder.tracks.selectedTrack;
    const frames = [];
    for (let frameIndex = 0; frameIndex < track.frameCount; frameIndex++) {
        const {image} = await decoder.decode({frameIndex});
        const canvas = new OffscreenCanvas(1, 1);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
        frames.push([image.displayWidth, image.displayHeight, image.duration / 1000, red > 128, blue > 128]);
    }
    return {frames, repeats: track.repetitionCount};
}"""


def test_a_browser_shows_each_frame_for_its_time(browser: Browser):
    page = browser.new_page(viewport={"width": 301, "height": 120})
    page.route("**/*", lambda route: route.fulfill(body="<body>", content_type="text/html"))
    page.goto("http://localhost/")  # only a secure page may decode pictures
    stills = []
    for colour in ("#f00", "#00f"):
        page.evaluate("colour => { document.body.style.background = colour }", colour)
        stills.append(capture_webp(page))

    animation = animate([(stills[0], 400), (stills[1], 1_250)])

    decoded = page.evaluate(DECODE, base64.b64encode(animation).decode())
    page.close()
    assert decoded["frames"] == [[301, 120, 400, True, False], [301, 120, 1_250, False, True]]
    assert decoded["repeats"] == float("inf")


def test_the_pictures_of_the_readme_are_small():
    sizes = [file.stat().st_size for file in TOUR.values()]

    assert max(sizes) <= 2 * 1024 * 1024
